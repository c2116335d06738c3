"""Max-MIG's objective against loops written out, and against the mutual information itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from manyhands.channels import Batch, Confusion, CrowdLayer, Sizes, Votes
from manyhands.errors import ParameterError
from manyhands.objectives.objective import MutualInformationObjective, objective_named

P = (0.5, 0.5)
X_GIVEN = np.array([[0.6, 0.2, 0.2], [0.0, 0.2, 0.8]])  # p(x | c)
T = np.array([[[0.8, 0.2], [0.4, 0.6]], [[0.6, 0.4], [0.2, 0.8]]])  # p(label | c) of two annotators


def population() -> tuple[np.ndarray, np.ndarray, float]:
    """Every (x, label, label) as often as 250 tasks have it; and the mutual information in nats."""
    joint = np.einsum("c,cx,cl,cm->xlm", P, X_GIVEN, *T)
    rows = np.array(list(itertools.product(range(3), range(2), range(2))))
    counts = np.rint(250 * joint.ravel()).astype(int)
    assert counts.sum() == 250
    np.testing.assert_allclose(counts / 250, joint.ravel())
    product = joint.sum(axis=(1, 2))[:, None, None] * joint.sum(axis=0)[None]
    return rows, counts, float((joint * np.log(joint / product)).sum())


def as_batch() -> tuple[Batch, torch.Tensor]:
    rows, counts, _ = population()
    each = np.repeat(rows, counts, axis=0)
    n = len(each)
    label = torch.from_numpy(each[:, 1:].reshape(-1).copy())
    annotator = torch.tensor([0, 1]).repeat(n)
    unit = torch.arange(n).repeat_interleave(2)
    return Batch(unit, annotator, label, None, torch.arange(n)), torch.from_numpy(each[:, 0].copy())


def channel_of(matrices: np.ndarray) -> nn.Module:
    module = Confusion().build(Sizes(2, 2, 2)).double()
    with torch.no_grad():
        module.logits.weight.copy_(torch.from_numpy(np.log(matrices).reshape(2, -1)))
    return module


def information(log_h: torch.Tensor, module: nn.Module, batch: Batch, x: torch.Tensor) -> torch.Tensor:
    """The objective, less what a finite batch has too much: pairs of a task with itself are left out of it."""
    loss = MutualInformationObjective().loss(log_h.log_softmax(dim=1)[x], module, batch, None)
    n = batch.n_units
    whole = -loss / batch.weight_sum()
    log_g = (batch.per_unit(module(batch)) - np.log(2)).log_softmax(dim=1) + np.log(2)
    own = (log_h.log_softmax(dim=1)[x] + log_g).logsumexp(dim=1).exp().mean()
    # mean over a != b = (n E - own) / (n - 1), E over all pairs
    off = 1 + (log_h.log_softmax(dim=1)[x] + log_g).logsumexp(dim=1).mean() - whole
    return whole + off - ((n - 1) * off + own) / n


def test_at_the_truth_it_is_the_mutual_information() -> None:
    batch, x = as_batch()
    posterior = (np.array(P)[:, None] * X_GIVEN / (np.array(P) @ X_GIVEN)).T
    found = information(torch.from_numpy(np.log(posterior + 1e-300)), channel_of(T), batch, x)
    assert found.item() == pytest.approx(population()[2], abs=1e-10)


def test_climbing_ends_there_and_nothing_is_above() -> None:
    batch, x = as_batch()
    module = channel_of(np.array([[[0.6, 0.4], [0.4, 0.6]]] * 2))
    log_h = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS([log_h, *module.parameters()], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        solver.zero_grad()
        loss = -information(log_h, module, batch, x)
        loss.backward()
        return loss

    solver.step(closure)
    reached = information(log_h, module, batch, x).item()
    assert reached == pytest.approx(population()[2], abs=1e-6)
    assert reached <= population()[2] + 1e-10


@pytest.mark.parametrize("weighted", [False, True])
def test_against_loops_written_out(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    unit, annotator = np.array([0, 0, 1, 3, 3, 4]), np.array([0, 1, 0, 1, 2, 2])
    label, weight = rng.integers(0, 3, 6), rng.uniform(0.5, 2, 6)
    module = Confusion().build(Sizes(3, 3, 3)).double()
    with torch.no_grad():
        module.logits.weight.copy_(torch.from_numpy(rng.normal(size=(3, 9))))
    matrices = module.confusions().numpy()
    h, p = rng.dirichlet(np.ones(3), 5), np.array([0.5, 0.3, 0.2])
    told = [0, 1, 3, 4]  # unit 2 has no votes
    g = {}
    for i in told:
        score = p.copy()
        for n in np.flatnonzero(unit == i):
            score = score * matrices[annotator[n], :, label[n]] ** (weight[n] if weighted else 1)
        g[i] = score / score.sum()
    r = {(a, b): float((h[a] * g[b] / p).sum()) for a in told for b in told}
    value = (
        1
        + np.mean([np.log(r[a, a]) for a in told])
        - np.mean([r[a, b] for a in told for b in told if a != b])
    )
    batch = Batch(
        *map(torch.from_numpy, (unit, annotator, label)),
        torch.from_numpy(weight) if weighted else None,
        torch.arange(5),
    )
    objective = MutualInformationObjective(torch.from_numpy(np.log(p)))
    loss = objective.loss(torch.from_numpy(np.log(h)), module, batch, None)
    assert loss.item() == pytest.approx(-value * (weight.sum() if weighted else 6), rel=1e-9)


def test_its_prior_is_the_mean_share_and_one_task_says_nothing() -> None:
    begun = objective_named("mutual-information").begin(torch.tensor([[1.0, 0.0], [0.5, 0.5]]))
    assert isinstance(begun, MutualInformationObjective)
    np.testing.assert_allclose(begun.log_prior.exp(), [0.75, 0.25])
    votes = Votes(*map(np.array, ([0, 0], [0, 1], [0, 1])), None, 1, 2, 2, 2)
    columns = (torch.from_numpy(np.asarray(c, dtype=np.int64)) for c in votes[:3])
    log_h = torch.zeros(1, 2, requires_grad=True)
    loss = begun.loss(
        log_h.log_softmax(dim=1), channel_of(T).float(), Batch(*columns, None, torch.arange(1)), None
    )
    assert loss.item() == 0
    loss.backward()
    assert not log_h.grad.any()


def test_it_needs_chances_of_labels() -> None:
    layer = CrowdLayer().build(Sizes(2, 2, 2))
    with pytest.raises(ParameterError, match="p\\(label"):
        objective_named("mutual-information").check(layer)
