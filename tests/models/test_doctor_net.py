from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from torch import nn

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.networks import Linear, build_network
from manyhands.networks.body import body_of

from .five_annotators import ALPHA, BETA, five_annotators


@pytest.mark.parametrize("name", ["linear", "mlp", "skip", "cnn"])
def test_a_body_and_a_linear_head_are_the_network(name: str) -> None:
    """Whatever the network was, some linear map of its body is it."""
    x = torch.randn(40, 2, 6, 6) if name == "cnn" else torch.randn(300, 5)
    network = build_network(name, x, 3).eval()
    body, width = body_of(network)
    with torch.no_grad():
        here, there = body(x), network(x)
    assert here.shape == (len(x), width)
    if len(x) > width:
        ones = torch.cat([here, torch.ones(len(x), 1)], dim=1)
        solved = ones @ torch.linalg.lstsq(ones, there, driver="gelsd").solution
        np.testing.assert_allclose(solved, there, atol=1e-3)


def test_a_network_without_a_linear_end_is_refused() -> None:
    with pytest.raises(ParameterError, match="must end in a torch"):
        mh.DoctorNet(nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=1))).fit(np.eye(2), [0, 1])


def test_heads_are_their_annotators() -> None:
    x, labels, truth = five_annotators(1000)
    model = mh.DoctorNet("linear", epochs=15, learning_rate=1e-2).fit(x, labels)
    found = model.channel_.confusions().numpy().diagonal(axis1=1, axis2=2)
    # the fourth says 1 of nearly everything, the third anything; the vote is still right
    np.testing.assert_allclose(found, np.column_stack([BETA, ALPHA]), atol=0.1)
    assert (model.predict(x) == truth).mean() > 0.97
    shares = model.predict_proba(x)
    np.testing.assert_allclose(shares * 5, np.rint(shares * 5), atol=1e-5)


def crowd_of(seed: int = 0) -> tuple:
    """Six who know, one who guesses, one who is contrary."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 800)
    x = rng.normal(size=(800, 3)) + 2.5 * truth[:, None] * np.array([1, -1, 0])
    knows = np.array([0.95, 0.9, 0.9, 0.85, 0.9, 0.9, 0.5, 0.1])
    said = np.where(rng.random((800, 8)) < knows, truth[:, None], 1 - truth[:, None])
    said = np.where(rng.random((800, 8)) < 0.7, said.astype(float), np.nan)
    return x, mh.Annotations.from_matrix(said), truth


def loss_of_others(model: mh.WeightedDoctorNet, x: np.ndarray, labels: mh.Annotations) -> Any:
    """A label, foretold by all heads but its annotator's, written out in numpy: a function of v."""
    table = model.channel_.table.weight.detach().numpy().reshape(8, 4, 2)
    z = (x - x.mean(0)) / x.std(0)
    logits = np.einsum("nd,jdk->njk", z, table[:, :3]) + table[:, 3]
    chances = np.exp(logits - np.logaddexp.reduce(logits, axis=2, keepdims=True))
    said = chances[labels.task, :, np.asarray(labels.answers.values)]
    own = np.arange(8) == labels.annotator[:, None]

    def loss(v: np.ndarray) -> float:
        w = np.where(own, 0, np.exp(v - v.max()))
        return -float(np.log((w * said).sum(axis=1) / w.sum(axis=1)).mean())

    return loss


@pytest.mark.slow
def test_who_foretells_others_badly_loses_say() -> None:
    x, labels, truth = crowd_of()
    settings = {"network": "linear", "vote": "mean", "epochs": 15, "learning_rate": 1e-2}
    plain = mh.DoctorNet(**settings).fit(x, labels)
    model = mh.WeightedDoctorNet(**settings).fit(x, labels)
    say = model.channel_.weights().numpy()
    np.testing.assert_allclose(plain.channel_.weights().numpy(), 1 / 8, rtol=1e-5)
    assert say[6:].sum() < 0.12
    loss = loss_of_others(model, x, labels)
    best = minimize(loss, np.zeros(8), options={"maxiter": 20})
    assert loss(np.log(say)) < best.fun + 1e-3
    assert (model.predict(x) == truth).mean() > 0.95
    for name, value in plain.network_.state_dict().items():  # the heads and their body stay as they were
        assert torch.equal(value, model.network_.state_dict()[name])
    assert torch.equal(plain.channel_.table.weight, model.channel_.table.weight)
    phases = [entry["phase"] for entry in model.history_]
    assert phases == ["marginal"] * 15 + ["averaging"] * 20
    losses = [entry["loss"] for entry in model.history_[15:]]
    assert losses[-1] < losses[0]


def test_a_head_begins_to_vote_when_its_annotator_speaks() -> None:
    x, labels, _ = five_annotators(60)
    first, rest = labels[:30], labels[30:]
    silent = mh.Annotations.from_arrays(
        [t for t, a in zip(first.task.tolist(), first.annotator.tolist(), strict=True) if a],
        [a for a in first.annotator.tolist() if a],
        [v for a, v in zip(first.annotator.tolist(), first.answers.values.tolist(), strict=True) if a],
        tasks=range(30), annotators=list(labels.annotators), classes=[0, 1],
    )  # fmt: skip
    model = mh.DoctorNet(Linear(), epochs=2).fit(x[:30], silent)
    np.testing.assert_allclose(model.channel_.weights().numpy(), [0, *[0.25] * 4])
    model.partial_fit(x[30:], rest)
    np.testing.assert_allclose(model.channel_.weights().numpy(), 0.2, rtol=1e-6)
