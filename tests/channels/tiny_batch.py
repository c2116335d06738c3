"""Tiny crowds as batches, and what every channel module must do on them, by slow obvious means."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from manyhands.channels import Batch, Votes
from manyhands.channels.module import ChannelModule
from manyhands.objectives.objective import objective_named

__all__ = [
    "batch_of",
    "check_climbing",
    "check_gradients",
    "check_joint",
    "exact_gradient_step",
    "shake",
    "tiny_votes",
]


def tiny_votes(n: int = 6, r: int = 3, k: int = 3, n_labels: int | None = None, seed: int = 0) -> Votes:
    """Some answers missing; the third unit has none."""
    rng = np.random.default_rng(seed)
    unit, annotator = np.nonzero((rng.random((n, r)) < 0.8) & (np.arange(n)[:, None] != 2))
    label = rng.integers(0, n_labels or k, len(unit))
    return Votes(unit, annotator, label, None, n, r, n_labels or k, k)


def batch_of(votes: Votes, weighted: bool = False, n_features: int = 0, seed: int = 0) -> Batch:
    """All units, in double precision."""
    rng = np.random.default_rng(seed + 1)
    weight = torch.from_numpy(rng.uniform(0.2, 2.0, len(votes.unit))) if weighted else None
    features = torch.from_numpy(rng.normal(size=(votes.n_units, n_features))) if n_features else None
    columns = (torch.from_numpy(c.astype(np.int64)) for c in (votes.unit, votes.annotator, votes.label))
    return Batch(*columns, weight, torch.arange(votes.n_units), features)


def shake(module: nn.Module, seed: int = 0, by: float = 0.5) -> None:
    """Parameters off their start, in double precision; buffers alone."""
    generator = torch.Generator().manual_seed(seed)
    module.double().eval()
    with torch.no_grad():
        for p in module.parameters():
            p += by * torch.randn(p.shape, generator=generator, dtype=p.dtype)


def truths(n: int, k: int, seed: int = 0) -> Tensor:
    """Random log f."""
    return torch.from_numpy(np.random.default_rng(seed + 2).normal(size=(n, k))).log_softmax(dim=1)


def check_gradients(module: ChannelModule, batch: Batch, n_classes: int) -> None:
    """Finite differences of every objective that the channel allows, in every parameter and in f."""
    logits = truths(batch.n_units, n_classes).clone().requires_grad_()
    for name in ("marginal", "joint", "em", "em-marginal") if module.is_probability else ("marginal",):
        objective = objective_named(name)
        with torch.no_grad():
            targets = objective.expect(logits, module, batch) if objective.has_rounds else None

        def loss(*_: Tensor, objective=objective, targets=targets) -> Tensor:  # type: ignore[no-untyped-def]
            total = objective.loss(logits.log_softmax(dim=1), module, batch, targets)
            penalty = module.penalty(batch)
            return total if penalty is None else total + penalty

        inputs = (logits, *(p for p in module.parameters() if p.requires_grad))
        assert torch.autograd.gradcheck(loss, inputs, atol=1e-5), name


def check_joint(
    module: ChannelModule, batch: Batch, chance: Callable[[int, int, int, int], float], k: int
) -> None:
    """The joint and marginal losses are sums over all truths; `chance` is p(label | truth, annotator, unit)."""
    log_truth = truths(batch.n_units, k)
    f = log_truth.exp().numpy()
    weight = np.ones(len(batch.unit)) if batch.weight is None else batch.weight.numpy()
    rows = list(zip(batch.unit.tolist(), batch.annotator.tolist(), batch.label.tolist(), weight, strict=True))
    total = 0.0
    for z in itertools.product(range(k), repeat=batch.n_units):
        mass = np.prod([f[i, c] for i, c in enumerate(z)])
        total += mass * np.prod([chance(label, z[i], j, i) ** w for i, j, label, w in rows])
    with torch.no_grad():
        joint = float(objective_named("joint").loss(log_truth, module, batch, None))
        marginal = float(objective_named("marginal").loss(log_truth, module, batch, None))
    np.testing.assert_allclose(joint, -np.log(total), rtol=1e-8)
    each = [w * np.log(sum(f[i, c] * chance(label, c, j, i) for c in range(k))) for i, j, label, w in rows]
    np.testing.assert_allclose(marginal, -sum(each), rtol=1e-8)


def check_climbing(
    module: ChannelModule, batch: Batch, k: int, m_step: Callable[[str, Tensor], None], rounds: int = 8
) -> None:
    """EM with exact M-steps (a class prior and the channel) never lowers its objective, penalty and all."""
    for name, climbed in (("em", "joint"), ("em-marginal", "marginal")):
        shake(module, seed=3, by=0.3)
        log_prior, values = torch.full((k,), 1 / k, dtype=torch.float64).log(), []
        for _ in range(rounds):
            log_truth = log_prior.expand(batch.n_units, k)
            with torch.no_grad():
                penalty = module.penalty(batch)
                loss = objective_named(climbed).loss(log_truth, module, batch, None)
                values.append(float(loss if penalty is None else loss + penalty))
                targets = objective_named(name).expect(log_truth, module, batch)
            log_prior = targets.mean(dim=0).log()
            m_step(name, targets)
        assert (np.diff(values) < 1e-7).all(), (name, values)
        assert values[0] - values[-1] > 1e-3


def exact_gradient_step(module: ChannelModule, batch: Batch, k: int) -> Callable[[str, Tensor], None]:
    """An M-step by L-BFGS, to the end."""

    def step(name: str, targets: Tensor) -> None:
        flat = torch.full((batch.n_units, k), 1 / k, dtype=torch.float64).log()
        solver = torch.optim.LBFGS(module.parameters(), max_iter=30, line_search_fn="strong_wolfe")

        def closure() -> Tensor:
            solver.zero_grad()
            loss = objective_named(name).loss(flat, module, batch, targets)
            penalty = module.penalty(batch)
            loss = loss if penalty is None else loss + penalty
            loss.backward()
            return loss

        solver.step(closure)

    return step
