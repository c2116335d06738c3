"""The confusion channel in training: SpeeLFC's, with and without what annotators share."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands.channels import Batch, Confusion, Sizes
from manyhands.channels.confusion_module import ConfusionModule
from manyhands.objectives.objective import objective_named

from .tiny_batch import (
    batch_of,
    check_climbing,
    check_gradients,
    check_joint,
    exact_gradient_step,
    shake,
    tiny_votes,
    truths,
)

SPECS = [Confusion(), Confusion(shared=2.0), Confusion(2.0, 1.0), Confusion(2.0, 1.0, 2.0)]


def _module(spec: Confusion, n_labels: int = 3, weighted: bool = False) -> tuple[ConfusionModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    module = spec.build(Sizes(3, n_labels, 3))
    module.start(votes, torch.zeros(0))
    shake(module)
    return module, batch_of(votes, weighted)


def _counts(batch: Batch, votes: torch.Tensor, n_labels: int = 3) -> torch.Tensor:
    weight = torch.ones(len(votes)) if batch.weight is None else batch.weight
    counts = torch.zeros(3, n_labels, 3, dtype=torch.float64)
    return counts.index_put_((batch.annotator, batch.label), weight[:, None] * votes, accumulate=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_labels", [3, 4])
@pytest.mark.parametrize("spec", SPECS[:2], ids=str)
def test_losses_by_enumeration(spec: Confusion, n_labels: int, weighted: bool) -> None:
    module, batch = _module(spec, n_labels, weighted)
    logits = module.logits.weight.detach().numpy().reshape(3, 3, n_labels)
    if module.common is not None:
        logits = logits + module.common.detach().numpy()
    matrices = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    check_joint(module, batch, lambda l, k, j, i: float(matrices[j, k, l]), 3)
    np.testing.assert_allclose(module.confusions(), matrices)


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_gradients(spec: Confusion) -> None:
    module, batch = _module(spec)
    check_gradients(module, batch, 3)


@pytest.mark.parametrize("spec", [SPECS[0], SPECS[2]], ids=str)
@pytest.mark.parametrize("closed", [True, False])
def test_em_never_falls(spec: Confusion, closed: bool) -> None:
    module, batch = _module(spec)

    def update(name: str, targets: torch.Tensor) -> None:
        assert module.update(_counts(batch, targets if name == "em-marginal" else targets[batch.unit]))

    # Ten steps of EM have flattened what maximum likelihood leaves at a boundary: fewer by gradient.
    check_climbing(module, batch, 3, update if closed else exact_gradient_step(module, batch, 3), rounds=5)


def test_em_with_what_is_shared_never_falls() -> None:
    """In closed form the objective has the divergence from the common matrix (see the specification)."""
    spec = Confusion(1.0, 1.0, shared=3.0)
    module, batch = _module(spec)
    em, joint, values = objective_named("em"), objective_named("joint"), []
    log_truth = torch.full((batch.n_units, 3), 1 / 3, dtype=torch.float64).log()
    module.update(torch.ones(3, 3, 3, dtype=torch.float64))
    for _ in range(12):
        with torch.no_grad():
            assert module._params is not None
            values.append(spec.log_prior(module._params) - float(joint.loss(log_truth, module, batch, None)))
            module.update(_counts(batch, em.expect(log_truth, module, batch)[batch.unit]))
    assert (np.diff(values) > -1e-9).all(), values
    assert values[-1] - values[0] > 1e-3


@pytest.mark.parametrize("spec", [SPECS[0], SPECS[2]], ids=str)
def test_the_closed_form_is_where_the_gradient_ends(spec: Confusion) -> None:
    module, batch = _module(spec, weighted=True)
    targets = truths(batch.n_units, 3, seed=5).exp()
    module.update(_counts(batch, targets[batch.unit]))
    closed = module.confusions()
    with torch.no_grad():
        module.logits.weight.zero_()
    step = exact_gradient_step(module, batch, 3)
    for _ in range(10):
        step("em", targets)
    seen = _counts(batch, targets[batch.unit]).sum(dim=1) > 0.05  # the rows that votes speak of
    np.testing.assert_allclose(module.confusions()[seen], closed[seen], atol=1e-3)


@pytest.mark.parametrize("spec", SPECS[1:], ids=str)
def test_penalties_of_batches_add_up_to_the_prior(spec: Confusion) -> None:
    module, batch = _module(spec)
    logits = module.logits.weight.detach().numpy().reshape(3, 3, 3)
    expected = 0.5 * spec.shared * (logits**2).sum()
    log_t = np.log(module.confusions().numpy())
    pseudo = np.where(np.eye(3), spec.right, spec.wrong / 2)
    expected -= (pseudo * log_t).sum()
    one_by_one = 0.0
    for n in range(len(batch.unit)):
        rows = slice(n, n + 1)
        vote = Batch(batch.unit[rows], batch.annotator[rows], batch.label[rows], None, batch.units, None)
        penalty = module.penalty(vote)
        assert penalty is not None
        one_by_one += float(penalty.detach())
    np.testing.assert_allclose(one_by_one, expected)
    assert _module(Confusion())[0].penalty(batch) is None
