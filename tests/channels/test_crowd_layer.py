from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import softmax

from manyhands.channels import CrowdLayer, Sizes
from manyhands.errors import ParameterError
from manyhands.objectives.objective import OBJECTIVES, objective_named

from .tiny_batch import batch_of, check_gradients, shake, tiny_votes, truths

VARIANTS = ("MW", "VW", "VB", "VW+B")


def _by_hand(variant: str, module: object, f: np.ndarray, j: int) -> np.ndarray:
    """The label distribution as the paper writes it; W_j is [label, truth]."""
    raw = {name: p.detach().numpy() for name, p in module.named_parameters()}  # type: ignore[attr-defined]
    if variant == "MW":
        w = raw["matrix.weight"][j].reshape(3, 3).T
        return softmax(w @ f)
    a = f * raw["vector.weight"][j] if variant != "VB" else f
    return softmax(a + raw["bias.weight"][j] if variant != "VW" else a)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_papers_formula(variant: str, weighted: bool) -> None:
    votes = tiny_votes()
    batch, module = batch_of(votes, weighted), CrowdLayer(variant).build(Sizes(3, 3, 3))
    shake(module)
    log_truth = truths(6, 3)
    f = log_truth.exp().numpy()
    weight = np.ones(len(votes.unit)) if batch.weight is None else batch.weight.numpy()
    expected = [
        w * np.log(_by_hand(variant, module, f[i], j)[label])
        for i, j, label, w in zip(votes.unit, votes.annotator, votes.label, weight, strict=True)
    ]
    loss = objective_named("marginal").loss(log_truth, module, batch, None)
    np.testing.assert_allclose(float(loss.detach()), -sum(expected), rtol=1e-10)
    for j in range(3):  # for people: the network sure of a class
        for k in range(3):
            np.testing.assert_allclose(module.confusions()[j, k], _by_hand(variant, module, np.eye(3)[k], j))


@pytest.mark.parametrize("variant", VARIANTS)
def test_gradients(variant: str) -> None:
    module = CrowdLayer(variant).build(Sizes(3, 3, 3))
    shake(module)
    check_gradients(module, batch_of(tiny_votes(), weighted=True), 3)


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_starts_as_the_identity_and_is_bounded(variant: str) -> None:
    module = CrowdLayer(variant).build(Sizes(4, 8, 8))
    np.testing.assert_array_equal(module.weights(), np.tile(np.eye(8), (4, 1, 1)))
    np.testing.assert_array_equal(module.biases(), np.zeros((4, 8)))
    assert float(module.confusions().max()) == pytest.approx(np.e / (np.e + 7))


@pytest.mark.parametrize("name", [n for n in OBJECTIVES if n != "marginal"])
def test_other_objectives_are_refused(name: str) -> None:
    module = CrowdLayer().build(Sizes(3, 3, 3))
    with pytest.raises(ParameterError, match="no posterior of the truth; use objective='marginal'"):
        objective_named(name).check(module)


def test_cannot_say() -> None:
    votes = tiny_votes(k=3, n_labels=4)
    module = CrowdLayer().build(Sizes(3, 4, 3))
    loss = objective_named("marginal").loss(truths(6, 3), module.double(), batch_of(votes), None)
    assert torch.isfinite(loss)
    assert module.confusions().shape == (3, 3, 4)
    with pytest.raises(ParameterError, match="use variant='MW'"):
        CrowdLayer("VB").build(Sizes(3, 4, 3))


def test_unknown_variant() -> None:
    with pytest.raises(ParameterError, match="variant='WM' must be one of 'MW'"):
        CrowdLayer("WM")


def test_only_annotators_present_are_touched() -> None:
    module = CrowdLayer().build(Sizes(50_000, 5, 5))
    assert module.matrix is not None
    assert module.matrix.sparse
    loss = objective_named("marginal").loss(truths(6, 5).float(), module, batch_of(tiny_votes(k=5)), None)
    loss.backward()
    assert module.matrix.weight.grad.coalesce().indices().max() < 3
