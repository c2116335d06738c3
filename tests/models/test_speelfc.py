from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import manyhands as mh
from manyhands.channels import Confusion
from manyhands.metrics import js_divergence

from .five_annotators import ALPHA, BETA, five_annotators


def test_it_is_a_composition_of_the_general_classifier() -> None:
    crowd = mh.simulate("confusion", n_tasks=120, n_annotators=5, n_features=3, seed=0)
    named = mh.SpeeLFC(epochs=3, diagonal=0.4).fit(crowd.features, crowd.labels)
    spelt = mh.CrowdClassifier(
        "mlp", Confusion(diagonal=0.4), "marginal", epochs=3, batch_size=64, learning_rate=1e-4,
        channel_learning_rate=1e-4, weight_decay=0.0, optimizer="adam", average=0, input_dropout=0.0,
    ).fit(crowd.features, crowd.labels)  # fmt: skip
    np.testing.assert_array_equal(named.predict_proba(crowd.features), spelt.predict_proba(crowd.features))


@pytest.mark.slow
def test_the_five_annotators_of_the_crowd_layers_paper() -> None:
    x, labels, truth = five_annotators()
    model = mh.SpeeLFC("linear", epochs=25, learning_rate=5e-3, diagonal=1.0).fit(x, labels)
    diagonal = model.channel_.confusions().numpy().diagonal(axis1=1, axis2=2)
    np.testing.assert_allclose(diagonal, np.column_stack([BETA, ALPHA]), atol=0.05)
    assert (model.predict(x) == truth).mean() > 0.98


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["marginal", "joint", "em", "em-marginal"])
def test_matrices_are_recovered(objective: str) -> None:
    """200 labels a cell: 3600 tasks, 3 labels each, 6 annotators of 3 x 3 cells."""
    crowd = mh.simulate(
        "confusion", n_tasks=3600, n_annotators=6, redundancy=3, n_classes=3, n_features=6, seed=1
    )
    model = mh.CrowdClassifier("linear", Confusion(), objective, epochs=60, input_dropout="auto")
    model.fit(crowd.features, crowd.labels)
    assert js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.02


@pytest.mark.slow
def test_speelfc_recovers_matrices() -> None:
    crowd = mh.simulate(
        "confusion", n_tasks=3600, n_annotators=6, redundancy=3, n_classes=3, n_features=6, seed=1
    )
    model = mh.SpeeLFC("linear", epochs=60, learning_rate=1e-3, channel_learning_rate=1e-2)
    assert (
        js_divergence(crowd.confusions, model.fit(crowd.features, crowd.labels).channel_.confusions().numpy())
        < 0.02
    )


@pytest.mark.slow
def test_difficulty_is_read_off_the_features() -> None:
    """The second feature says how hard a task is; one annotator is an adversary."""
    rng = np.random.default_rng(0)
    n, ability = 3000, np.array([1.5, 1.0, 0.7, 1.2, -1.0])
    truth, hard = rng.integers(0, 2, n), rng.integers(0, 2, n)
    x = np.column_stack([rng.normal(6.0 * truth, 1), rng.normal(6.0 * hard, 1)])
    right = expit(ability * np.where(hard, 0.5, 2.5)[:, None])
    said = np.where(rng.random((n, 5)) < right, truth[:, None], 1 - truth[:, None])
    scale = {"ability": 1.4, "least": 2e-5, "spread": 2.0, "channel_learning_rate": 5e-3}  # times 50
    model = mh.SpeeLFCD("linear", hidden=(16,), epochs=25, learning_rate=2e-2, majority_epochs=3, **scale)
    model.fit(x, mh.Annotations.from_matrix(said))
    assert (model.predict(x) == truth).mean() > 0.97
    found = model.difficulty(x)
    np.testing.assert_allclose(found[hard == 0].mean(), 1 - right[hard == 0].mean(), atol=0.03)
    np.testing.assert_allclose(found[hard == 1].mean(), 1 - right[hard == 1].mean(), atol=0.03)
    diagonal = model.channel_.confusions().numpy().diagonal(axis1=1, axis2=2).mean(axis=1)
    np.testing.assert_allclose(diagonal, right.mean(axis=0), atol=0.04)
