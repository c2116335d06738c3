"""Stopping, averaging and schedules against what they are said to do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.models import CrowdClassifier
from manyhands.training.callbacks import Callback, OnEpoch

CROWD = mh.simulate("confusion", n_tasks=120, n_annotators=5, n_features=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels


class Watch(Callback):
    """Weights and rates after every epoch."""

    def __init__(self) -> None:
        self.weights: list[dict[str, torch.Tensor]] = []
        self.rates: list[list[float]] = []

    def on_epoch_end(self, learner: Any) -> None:
        parts = {"network": learner.network, "channel": learner.channel}
        self.weights.append(
            {f"{p}.{k}": v.clone().double() for p, m in parts.items() for k, v in m.state_dict().items()}
        )
        self.rates.append([g["lr"] for o in learner.optimisers for g in o.param_groups])


def fit(**options: Any) -> tuple[CrowdClassifier, Watch]:
    watch = Watch()
    given: dict[str, Any] = {
        "input_dropout": "auto",
        "network": "linear",
        "epochs": 8,
        "average": 0,
        "callbacks": [watch],
    } | options
    return CrowdClassifier(**given).fit(X, LABELS), watch


def kept(model: CrowdClassifier) -> dict[str, torch.Tensor]:
    parts = {"network": model.network_, "channel": model.channel_}
    return {f"{p}.{k}": v.double() for p, m in parts.items() for k, v in m.state_dict().items()}


def test_the_average_is_that_of_the_last_epochs() -> None:
    model, watch = fit(average=3)
    for name, value in kept(model).items():
        mean = torch.stack([w[name] for w in watch.weights[-3:]]).mean(dim=0)
        torch.testing.assert_close(value, mean, atol=1e-6, rtol=1e-6)
    assert len(watch.weights) == 8


def test_it_stops_when_held_out_labels_are_no_likelier_and_keeps_the_best() -> None:
    model, watch = fit(
        validation_fraction=0.3, patience=2, epochs=200, learning_rate=0.3, weight_decay=0.0, network="mlp"
    )
    scores = [e["held_out_log_likelihood"] for e in model.history_]
    best = int(np.argmax(scores))
    assert len(scores) == best + 3 < 200
    for name, value in kept(model).items():
        torch.testing.assert_close(value, watch.weights[best][name], atol=1e-6, rtol=1e-6)


def test_held_out_labels_are_not_learnt_from() -> None:
    model, _ = fit(validation_fraction=0.3, patience=8)
    learner = model.learner_
    assert learner.held_out is not None
    assert len(learner.held_out.label) + len(learner.data.label) == LABELS.n_answers
    score = learner.held_out_score()
    held, total = learner.held_out.votes, 0.0
    chances, matrices = model.predict_proba(X), model.channel_.confusions().numpy()
    for unit, annotator, label in zip(held.unit, held.annotator, held.label, strict=True):
        total += math.log(chances[unit] @ matrices[annotator][:, label])
    assert score == pytest.approx(total / len(held.unit), abs=1e-5)


def test_rates_fall_along_half_a_cosine_and_come_back() -> None:
    model, watch = fit(schedule="cosine", epochs=4, learning_rate=0.1, channel_learning_rate=0.2)
    for done, (rate, channel_rate) in enumerate(watch.rates, start=1):
        factor = 0.5 * (1 + math.cos(math.pi * done / 4))
        assert rate == pytest.approx(0.1 * factor, abs=1e-8)
        assert channel_rate == pytest.approx(0.2 * factor, abs=1e-8)
    assert [g["lr"] for o in model.learner_.optimisers for g in o.param_groups] == [0.1, 0.2]


def test_functions_are_called_with_plain_data() -> None:
    seen: list[dict[str, Any]] = []
    model, _ = fit(callbacks=[OnEpoch(seen.append)], majority_epochs=2, marginal_epochs=1)
    assert seen == model.history_
    assert [e["phase"] for e in seen] == ["majority"] * 2 + ["joint"] * 8 + ["marginal"]
    assert all(type(v) in (int, float, str) for e in seen for v in e.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"patience": 3}, {"patience": 0, "validation_fraction": 0.1}, {"validation_fraction": 1.0},
        {"validation_fraction": -0.1}, {"schedule": "steps"}, {"optimizer": "newton"}, {"average": -1},
        {"batch_size": 0}, {"batch_size": "some"}, {"input_dropout": 1.0}, {"epochs": 0}, {"callbacks": "all"},
        {"random_state": -1}, {"random_state": "x"}, {"device": "abacus"}, {"learning_rate": float("nan")},
        {"channel_learning_rate": -1}, {"weight_decay": None}, {"objective": "maximal"}, {"channel": "confusion"},
        {"network": "deep"}, {"network": 3}, {"closed_form": "yes"}, {"abstention": "no"},
    ],
    ids=str,
)  # fmt: skip
def test_every_parameter_is_checked_and_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))) as error:
        CrowdClassifier(**wrong).fit(X, LABELS)
    assert repr(next(iter(wrong.values()))) in str(error.value)
