from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import manyhands as mh
from manyhands.channels import votes_of
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import js_divergence

QUICK: dict[str, Any] = {"rounds": 4, "steps": 60, "fine_tuning": 30, "learning_rate": 5e-3}


def _crowd(n_tasks: int = 400, **options: Any) -> Any:
    return mh.simulate(
        "confusion", n_tasks=n_tasks, n_annotators=6, redundancy=4, n_features=4, seed=0, **options
    )


def test_rounds_of_em_then_fine_tuning() -> None:
    crowd = _crowd()
    model = mh.LIA(rounds=3, steps=10, fine_tuning=5).fit(crowd.features, crowd.labels)
    settings = model.learner_.settings
    assert settings.batch_size == 256  # tasks of 1024 labels
    assert settings.epochs_a_round == 5  # ten steps of two batches
    assert [e["phase"] for e in model.history_] == ["em"] * 15 + ["marginal"] * 3


@pytest.mark.slow
def test_few_labels_of_many_classes_are_heard() -> None:
    """A penalty that grows with the square of the classes left nothing of them but the majority."""
    crowd = mh.simulate(
        "confusion", n_tasks=400, n_annotators=12, n_classes=8, redundancy=3, n_features=4, seed=0
    )
    model = mh.LIA(**QUICK).fit(crowd.features, crowd.labels)
    majority = mh.MajorityVote().fit(crowd.labels)
    said, counted = ((m.result_.posterior.best() == crowd.truth).mean() for m in (model, majority))
    assert said > counted + 0.02


@pytest.mark.slow
def test_right_and_wrong_oracles_come_first_and_last() -> None:
    """The paper's check."""
    crowd = _crowd()
    votes, every = votes_of(crowd.labels), np.arange(400)
    labels = mh.Annotations.from_arrays(
        np.concatenate([votes.unit, every, every]),
        np.concatenate([votes.annotator, np.full(400, 6), np.full(400, 7)]),
        np.concatenate([votes.label, crowd.truth, (crowd.truth + 1) % 3]),
    )
    model = mh.LIA(**QUICK).fit(crowd.features, labels)
    quality = model.annotator_quality(crowd.features).mean(axis=0)
    assert quality.argmax() == 6
    assert quality.argmin() == 7


@pytest.mark.slow
def test_quality_of_annotators_never_seen() -> None:
    """Their first feature says how often they are right."""
    rng = np.random.default_rng(0)
    n, r = 600, 30
    accuracy = rng.uniform(0.4, 0.95, r)
    described = np.column_stack([accuracy * 10, rng.normal(size=r)])
    truth = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 3)) + 4.0 * truth[:, None] * np.array([1, 0, 0])
    said = np.where(rng.random((n, r)) < accuracy, truth[:, None], 1 - truth[:, None])
    said[rng.random((n, r)) > 0.2] = -1
    labels = mh.Annotations.from_matrix(said[:, :20]).with_annotator_features(described[:20])
    model = mh.LIA(**QUICK).fit(x, labels)
    new = model.annotator_quality(x, described[20:]).mean(axis=0)
    assert np.corrcoef(new, accuracy[20:])[0, 1] > 0.95
    np.testing.assert_allclose(new, accuracy[20:], atol=0.12)
    np.testing.assert_allclose(
        model.annotator_quality(x), model.annotator_quality(x, described[:20]), rtol=1e-4
    )


@pytest.mark.slow
def test_without_features_it_is_lia_e() -> None:
    crowd = _crowd(200)
    model = mh.LIA(**QUICK).fit(crowd.labels)
    majority = (mh.MajorityVote().fit(crowd.labels).predict() == crowd.truth).mean()
    assert (model.predict() == crowd.truth).mean() > majority - 0.1
    assert model.annotator_quality().shape == (200, 6)
    np.testing.assert_array_equal(
        mh.LIA(**QUICK).fit(None, crowd.labels).predict_proba(), model.predict_proba()
    )
    with pytest.raises(UnsupportedError, match="LIA-E knows no other tasks"):
        model.predict(crowd.features)
    with pytest.raises(UnsupportedError, match="LIA-E cannot go on"):
        model.partial_fit(None, crowd.labels)


@pytest.mark.slow
def test_a_network_of_ones_own() -> None:
    crowd = _crowd(200)
    model = mh.LIA("linear", combine="product", latent=2, **QUICK).fit(crowd.features, crowd.labels)
    assert model.channel_.spec.latent == 2
    assert mh.LIA("linear", **QUICK).fit(crowd.labels).predict_proba().shape == (200, 3)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.slow
def test_bad_parameters() -> None:
    crowd = _crowd(50)
    with pytest.raises(ParameterError, match="rounds=0 of LIA must be an integer of at least 1"):
        mh.LIA(rounds=0).fit(crowd.features, crowd.labels)
    with pytest.raises(ParameterError, match="built without annotator features"):
        mh.LIA(**QUICK).fit(crowd.features, crowd.labels).annotator_quality(crowd.features, np.zeros((1, 2)))


@pytest.mark.slow
@pytest.mark.parametrize("combine", ["add", "product"])
def test_matrices_are_recovered(combine: str) -> None:
    """200 labels a cell: 3600 tasks, 3 labels each, 6 annotators of 3 x 3 cells."""
    crowd = mh.simulate(
        "confusion", n_tasks=3600, n_annotators=6, redundancy=3, n_classes=3, n_features=6, seed=1
    )
    model = mh.LIA(combine=combine, steps=150, fine_tuning=150, learning_rate=3e-3).fit(
        crowd.features, crowd.labels
    )
    assert js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.02
