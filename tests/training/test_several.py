"""Several networks: against each of them by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.networks import Several
from manyhands.networks.several import members_of

CROWD = mh.simulate("confusion", n_tasks=200, n_annotators=6, n_classes=3, redundancy=3, n_features=4, seed=0)
X, LABELS = CROWD.features, CROWD.labels
QUICK: dict[str, Any] = {"epochs": 3, "input_dropout": 0.0}


def fitted(network: Any = None, **options: Any) -> mh.CrowdClassifier:
    return mh.CrowdClassifier(network or Several("linear", 3), **(QUICK | options)).fit(X, LABELS)


def test_the_mean_of_the_chances() -> None:
    model = fitted()
    x = torch.tensor(X.copy()).float()
    apart = [member(x).softmax(dim=1).detach().numpy() for member in members_of(model.network_)]
    assert model.predict_proba(X) == pytest.approx(np.mean(apart, axis=0), abs=1e-6)
    assert np.abs(apart[0] - apart[1]).max() > 1e-3


@pytest.mark.parametrize("objective", ["joint", "marginal", "em"])
def test_each_is_trained_by_itself(objective: str) -> None:
    """The loss is the mean of the losses of each alone, so no gradient of one holds another."""
    learner = fitted(objective=objective).learner_
    together, units, phase = learner.network, torch.arange(200), learner.objective
    loss, count = learner.compute_loss(units, phase)
    apart = []
    for member in members_of(together):
        learner.network = member
        one, weight = learner.compute_loss(units, phase)
        assert weight == count
        apart.append(float(one.detach()))
    assert float(loss.detach()) == pytest.approx(np.mean(apart), rel=1e-6)


def test_one_of_several_is_the_network() -> None:
    alone, one = fitted("mlp"), fitted(Several("mlp", 1))
    assert one.predict_proba(X) == pytest.approx(alone.predict_proba(X), abs=1e-6)


def test_numbers_are_averaged() -> None:
    said = Several("linear", 2).build(4, 1)
    x = torch.randn(5, 4)
    apart = torch.stack([member(x) for member in members_of(said)])
    torch.testing.assert_close(said(x), apart.mean(dim=0))
    crowd = mh.simulate("numbers", n_tasks=100, n_annotators=5, seed=0)
    model = mh.CrowdRegressor(Several("linear", 2), epochs=2).fit(crowd.truth[:, None], crowd.labels)
    assert np.isfinite(model.predict(crowd.truth[:, None])).all()


def test_saved_and_opened(tmp_path: Path) -> None:
    model = fitted()
    model.save(tmp_path / "model")
    again: Any = mh.load(tmp_path / "model")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_noise_is_chosen_by_one_for_all() -> None:
    several, one = (fitted(network, input_dropout="held-out") for network in (Several("linear", 3), "linear"))
    assert several.input_dropout_scores_ == pytest.approx(one.input_dropout_scores_)


@pytest.mark.parametrize("options", [{"n": 0}, {"network": torch.nn.Linear(4, 3)}])
def test_what_cannot_be_several(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"n=0|copies"):
        Several(**options)
