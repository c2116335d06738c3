"""Channels of numbers in training: densities against scipy, gradients, M-steps against gradients to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.integrate import simpson
from scipy.stats import multivariate_normal, norm, t

from manyhands.channels import Batch, Gaussian, NumberHeads, NumberLayer, Sizes, Student, Votes
from manyhands.channels.moments import Priors, explain_best, moments_of
from manyhands.errors import ParameterError
from manyhands.objectives.number_objectives import NUMBER_OBJECTIVES

from .tiny_batch import shake

N, R = 6, 3
KINDS = {"B": Gaussian(), "S": Gaussian(scale=True, bias=False), "S+B": Gaussian(scale=True),
         "raw": Gaussian(scale=True, centred=False), "t": Student(scale=True, nodes=48)}  # fmt: skip


def tiny(weighted: bool = False, seed: int = 0) -> tuple[Votes, Batch]:
    """Some answers missing; the third unit has none."""
    rng = np.random.default_rng(seed)
    unit, annotator = np.nonzero((rng.random((N, R)) < 0.8) & (np.arange(N)[:, None] != 2))
    weight = rng.uniform(0.5, 2.0, len(unit)) if weighted else None
    votes = Votes(unit, annotator, rng.normal(size=len(unit)), weight, N, R, 1, 1)
    columns = (torch.from_numpy(v) for v in (unit, annotator, votes.label))
    return votes, Batch(*columns, None if weight is None else torch.from_numpy(weight), torch.arange(N))


def built(spec: Any, votes: Votes, n_features: int = 0) -> Any:
    module = spec.build(Sizes(R, 1, 1, n_features))
    module.start(votes, torch.zeros(N, 2))
    module.double()
    module.share.copy_(module.share / module.share.sum())  # in double precision
    shake(module, by=0.4)
    return module


def said_of(seed: int = 5) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    return torch.from_numpy(np.stack([rng.normal(size=N), rng.uniform(0.3, 1.5, N)], axis=1))


def rows(module: Any) -> tuple[np.ndarray, ...]:
    return tuple(v.numpy() for v in module.everyone())


@pytest.mark.parametrize("kind", ["B", "S", "S+B", "raw"])
def test_the_joint_is_scipys_multivariate_normal(kind: str) -> None:
    votes, batch = tiny()
    module, said = built(KINDS[kind], votes), said_of()
    a, b, precision = rows(module)
    with torch.no_grad():
        found, alone = module.log_units(said, batch).numpy(), module.log_label(said, batch).numpy()
    for i in range(N):
        mine = votes.unit == i
        j, mean, variance = votes.annotator[mine], *(float(v) for v in said[i])
        expected = 0.0
        if mine.any():
            covariance = variance * np.outer(a[j], a[j]) + np.diag(1 / precision[j])
            expected = multivariate_normal(a[j] * mean + b[j], covariance).logpdf(votes.label[mine])
        assert found[i] == pytest.approx(expected, abs=1e-10)
    j, mean, variance = votes.annotator, said[votes.unit, 0].numpy(), said[votes.unit, 1].numpy()
    expected = norm.logpdf(votes.label, a[j] * mean + b[j], np.sqrt(a[j] ** 2 * variance + 1 / precision[j]))
    np.testing.assert_allclose(alone, expected, atol=1e-10)


def _density(kind: str, module: Any, votes: Votes, i: int, said: torch.Tensor, z: np.ndarray) -> np.ndarray:
    """p(z, votes of unit i), as one writes it down."""
    a, b, precision = rows(module)
    weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
    value = norm.pdf(z, float(said[i, 0]), float(said[i, 1]) ** 0.5)
    for n in np.flatnonzero(votes.unit == i):
        j = votes.annotator[n]
        of = t(4.0) if kind == "t" else norm
        error = (votes.label[n] - a[j] * z - b[j]) * precision[j] ** 0.5
        value = value * (of.pdf(error) * precision[j] ** 0.5) ** weight[n]
    return value


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["S+B", "t"])
def test_densities_and_posteriors_are_integrals(kind: str, weighted: bool) -> None:
    votes, batch = tiny(weighted)
    module, said = built(KINDS[kind], votes), said_of()
    with torch.no_grad():
        found, belief = module.log_units(said, batch), module.expect(said, batch)
    tight = 1e-3 if kind == "t" else 1e-7  # by 48 points
    z = np.linspace(-15, 15, 20_001)
    for i in range(N):
        density = _density(kind, module, votes, i, said, z)
        mass, first, second = (simpson(z**k * density, x=z) for k in range(3))
        mean = first / mass
        assert found[i].item() == pytest.approx(np.log(mass), abs=tight)
        assert belief[i, 0].item() == pytest.approx(mean, abs=tight)
        assert belief[i, 1].item() == pytest.approx(second / mass - mean**2, abs=5 * tight)


def test_a_known_truth_leaves_only_the_noise() -> None:
    votes, batch = tiny()
    module, said = built(KINDS["S+B"], votes), said_of()
    said[:, 1] = 0.0
    a, b, precision = rows(module)
    j = votes.annotator
    each = norm.logpdf(votes.label, a[j] * said[votes.unit, 0].numpy() + b[j], precision[j] ** -0.5)
    with torch.no_grad():
        np.testing.assert_allclose(
            module.log_units(said, batch), np.bincount(votes.unit, each, N), atol=1e-10
        )
        assert (module.expect(said, batch) == said).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_gradients(kind: str, weighted: bool) -> None:
    votes, batch = tiny(weighted)
    module, said = built(KINDS[kind], votes), said_of()
    for objective in NUMBER_OBJECTIVES.values():
        with torch.no_grad():
            targets = objective.expect(said, module, batch) if objective.has_rounds else None

        def loss(
            mean: torch.Tensor, *_: Any, objective: Any = objective, targets: Any = targets
        ) -> torch.Tensor:
            rows = torch.stack([mean, module.log_spread.exp().expand_as(mean)], dim=1)
            return objective.loss(rows, module, batch, targets) + module.penalty(batch)

        inputs = (said[:, 0].clone().requires_grad_(), *module.parameters())
        # Where the points of the quadrature lie follows the parameters, and moves the sum in its last digits.
        tight = 2e-2 if kind == "t" else 1e-5
        assert torch.autograd.gradcheck(loss, inputs, atol=tight, rtol=1e-2), objective.name


@pytest.mark.parametrize("kind", ["B", "S+B", "raw"])
def test_the_m_step_is_where_gradients_end(kind: str) -> None:
    """Repeated at fixed beliefs, closed form and L-BFGS come to the same annotators."""
    votes, batch = tiny()
    closed, climbed = built(KINDS[kind], votes), built(KINDS[kind], votes)
    said = said_of()
    with torch.no_grad():
        belief = closed.expect(said, batch)
    em = NUMBER_OBJECTIVES["em"]

    answered, unit = torch.unique(batch.unit, return_inverse=True)  # the spread is that of answered units
    told = batch._replace(unit=unit, units=answered)

    def cost(module: Any) -> torch.Tensor:
        mean = said[answered, 0]
        rows = torch.stack([mean, module.log_spread.exp().expand_as(mean)], dim=1)
        return em.loss(rows, module, told, belief[answered]) + module.penalty(told)

    values = []
    for _ in range(60):
        values.append(float(cost(closed).detach()))
        counts = torch.bincount(batch.unit, minlength=N)[batch.unit]
        far = (belief[batch.unit, 0] - said[batch.unit, 0]) ** 2 + belief[batch.unit, 1]
        rest = torch.stack([far / counts, 1 / counts], dim=1)
        moments = moments_of(batch.annotator, batch.label, belief[batch.unit], rest, torch.ones(len(far)), R)
        assert closed.update(moments)
    assert (np.diff(values) < 1e-9).all()
    solver = torch.optim.LBFGS(
        climbed.parameters(), max_iter=500, tolerance_grad=1e-10, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        solver.zero_grad()
        loss = cost(climbed)
        loss.backward()
        return loss

    solver.step(closure)
    assert float(cost(closed).detach()) == pytest.approx(float(cost(climbed).detach()), abs=1e-6)
    for ours, theirs in zip(rows(closed), rows(climbed), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)


def test_least_squares_without_priors_is_numpys() -> None:
    rng = np.random.default_rng(0)
    z, annotator = rng.normal(size=40), np.repeat([0, 1], 20)
    label = 0.5 * z + 1.0 + rng.normal(size=40)
    as_tensor = [torch.from_numpy(v) for v in (annotator, label)]
    belief = torch.from_numpy(np.stack([z, np.zeros(40)], axis=1))
    moments = moments_of(*as_tensor, belief, torch.ones(40, 2), torch.ones(40), 2)
    found = explain_best(
        moments,
        torch.ones(2).double(),
        torch.zeros(2).double(),
        Priors(1.0, 0.0, 0.0, 0.0),
        (True, True),
        False,
    )
    for j in range(2):
        mine = annotator == j
        slope, intercept = np.polyfit(z[mine], label[mine], 1)
        assert (found.scale[j].item(), found.bias[j].item()) == pytest.approx((slope, intercept))
        left = label[mine] - slope * z[mine] - intercept
        assert 1 / found.precision[j].item() == pytest.approx(np.mean(left**2))


@pytest.mark.parametrize("variant", ["S", "B", "S+B"])
@pytest.mark.parametrize("centred", [True, False])
def test_the_layer_is_the_papers_formula(variant: str, centred: bool) -> None:
    votes, batch = tiny(weighted=True)
    module, said = built(NumberLayer(variant, centred), votes), said_of()
    raw = {name: p.detach().numpy().ravel() for name, p in module.named_parameters()}
    s, b = 1 + raw.get("scale_table.weight", np.zeros(R)), raw.get("bias_table.weight", np.zeros(R))
    share = np.bincount(votes.annotator, minlength=R) / len(votes.unit)
    if centred:
        s, b = s - share @ s + 1, b - share @ b
    errors = votes.label - s[votes.annotator] * said[votes.unit, 0].numpy() - b[votes.annotator]
    loss = NUMBER_OBJECTIVES["marginal"].loss(said, module, batch, None)
    np.testing.assert_allclose(float(loss.detach()), 0.5 * (votes.weight * errors**2).sum(), rtol=1e-6)
    for name in ("joint", "em"):
        with pytest.raises(ParameterError, match="use objective='marginal'"):
            NUMBER_OBJECTIVES[name].check(module)


def test_heads_and_their_mean() -> None:
    votes, batch = tiny()
    module = built(NumberHeads("both"), votes, n_features=2)
    said = torch.from_numpy(np.random.default_rng(1).normal(size=(N, 2)))
    table, shift = module.table.weight.detach().numpy(), module.shift.detach().numpy()
    say = np.exp(module.say.detach().numpy())
    say /= say.sum()
    heads = said.numpy() @ table[:, :2].T + table[:, 2]
    np.testing.assert_allclose(module.vote(said)[:, 0], (heads + shift) @ say, rtol=1e-6)
    expected = 0.0
    for i, j, label in zip(votes.unit, votes.annotator, votes.label, strict=True):
        others = np.arange(R) != j
        told = ((heads[i] + shift) * say)[others].sum() / say[others].sum()
        expected += 0.5 * (label - told) ** 2
    assert float(module.averaging_loss(said, batch).detach()) == pytest.approx(expected, rel=1e-6)
    assert [p.numel() for p in module.sayings()] == [R, R]


def test_large_tables_have_sparse_gradients() -> None:
    _, batch = tiny()
    batch = batch._replace(label=batch.label.float())
    for spec in (Gaussian(scale=True), NumberLayer("S+B")):
        module = spec.build(Sizes(1_100_000, 1, 1))
        loss = NUMBER_OBJECTIVES["marginal"].loss(said_of().float(), module, batch, None)
        loss.backward()
        for table in (module.scale_table, module.bias_table):
            assert table is not None
            assert table.weight.grad.coalesce().indices().max() < R


def test_odd_specifications_are_told() -> None:
    with pytest.raises(ParameterError, match="variant='SB' must be one of 'S'"):
        NumberLayer("SB")
    with pytest.raises(ParameterError, match=r"freedom=1\.5 must be above 2"):
        Student(freedom=1.5)
    with pytest.raises(ParameterError, match="averaging='sum'"):
        NumberHeads("sum")
