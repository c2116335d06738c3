from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.channels import CrowdLayer as Channel
from manyhands.errors import ParameterError

from .five_annotators import ALPHA, BETA, five_annotators


def test_it_is_a_composition_of_the_general_classifier() -> None:
    """The same network, channel, objective and settings, spelt out."""
    crowd = mh.simulate("confusion", n_tasks=120, n_annotators=5, n_features=3, seed=0)
    named = mh.CrowdLayer(variant="VW+B", epochs=3).fit(crowd.features, crowd.labels)
    spelt = mh.CrowdClassifier(
        "mlp", Channel("VW+B"), "marginal", epochs=3, batch_size=64, learning_rate=1e-3,
        channel_learning_rate=1e-3, weight_decay=0.0, optimizer="adam", average=0, input_dropout=0.0,
    ).fit(crowd.features, crowd.labels)  # fmt: skip
    np.testing.assert_array_equal(named.predict_proba(crowd.features), spelt.predict_proba(crowd.features))


@pytest.mark.parametrize("variant", ["MW", "VW", "VB", "VW+B"])
@pytest.mark.slow
def test_every_variant_learns(variant: str) -> None:
    crowd = mh.simulate("confusion", n_tasks=300, n_annotators=5, n_features=4, seed=1)
    best = (
        mh.CrowdClassifier("linear", epochs=20)
        .fit(crowd.features, crowd.truth)
        .score(crowd.features, crowd.truth)
    )
    model = mh.CrowdLayer("linear", variant, epochs=20, learning_rate=1e-2).fit(crowd.features, crowd.labels)
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]
    assert model.score(crowd.features, crowd.truth) > best - 0.05


@pytest.mark.parametrize("variant", ["MW", "VW"])
@pytest.mark.slow
def test_the_papers_five_annotators(variant: str) -> None:
    """Figure 2: the weights of a class go with how often it is seen; the one against class 0 is corrected."""
    x, labels, truth = five_annotators()
    model = mh.CrowdLayer("linear", variant, epochs=20, learning_rate=5e-3).fit(x, labels)
    diagonal = model.channel_.weights().numpy().diagonal(axis1=1, axis2=2)
    assert np.corrcoef(np.ravel(diagonal), np.ravel(np.column_stack([BETA, ALPHA])))[0, 1] > 0.85
    assert diagonal[3, 0] == diagonal[:, 0].min()
    majority = (mh.MajorityVote().fit(labels).predict() == truth).mean()
    assert majority == pytest.approx(0.842, abs=0.02)  # as the paper's crowd has it
    assert (model.predict(x) == truth).mean() > 0.98


def test_no_posterior_but_the_networks() -> None:
    crowd = mh.simulate("confusion", n_tasks=100, n_annotators=5, n_features=3, seed=0)
    model = mh.CrowdLayer(epochs=2).fit(crowd.features, crowd.labels)
    np.testing.assert_allclose(
        model.learner_.posterior().numpy(), model.predict_proba(crowd.features), rtol=1e-5
    )


def test_bad_variant() -> None:
    with pytest.raises(ParameterError, match="variant='W' must be one of 'MW'"):
        mh.CrowdLayer(variant="W").fit(np.zeros((2, 1)), [0, 1])
