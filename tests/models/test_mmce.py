"""MMCE: the dual by loops and numeric gradients, the moments it matches, tasks that mislead."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from benchmarks.real_crowds import NEEDED, class_crowds, data_folder
from benchmarks.scores import score
from scipy.optimize import approx_fprime, minimize

from manyhands import MMCE, Annotations, DawidSkene
from manyhands.channels import Additive, votes_of
from manyhands.channels.additive import AdditiveParams
from manyhands.channels.named_truths import NamedTruths
from manyhands.objectives import AdditiveEM, MinimaxParams

ALPHA, BETA = 0.7, 1.3


def tiny(k: int = 3, seed: int = 0) -> Annotations:
    rng = np.random.default_rng(seed)
    wide = np.where(rng.random((6, 4)) < 0.8, rng.integers(0, k, (6, 4)), -1)
    return Annotations.from_matrix(wide, classes=list(range(k)))


def full_tau(named: NamedTruths, tau: np.ndarray, n_units: int, k: int) -> np.ndarray:
    whole = np.zeros((n_units * k, k))
    whole[named.code] = tau
    return whole.reshape(n_units, k, k)


def log_rows(sigma: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Log T_ij of one annotator and one task, [classes, labels]."""
    logits = sigma + tau
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def dual(table: Annotations, q: np.ndarray, sigma: np.ndarray, tau: np.ndarray) -> float:
    total = -0.5 * (ALPHA * (sigma**2).sum() + BETA * (tau**2).sum())
    for i, j, l in zip(*votes_of(table)[:3], strict=True):
        total += q[i] @ log_rows(sigma[j], tau[i])[:, l]
    return float(total)


@pytest.mark.parametrize("k", [2, 3])
def test_the_gradient_of_the_dual_is_observed_less_expected(k: int) -> None:
    table, rng = tiny(k), np.random.default_rng(1)
    named, channel = NamedTruths(votes_of(table)), Additive(ALPHA, BETA)
    q = rng.dirichlet(np.ones(k), 6)
    sigma, tau = rng.normal(size=(4, k, k)), rng.normal(size=(len(named.code), k))

    def value(x: np.ndarray) -> float:
        whole = full_tau(named, x[sigma.size :].reshape(tau.shape), 6, k)
        return dual(table, q, x[: sigma.size].reshape(sigma.shape), whole)

    numeric = approx_fprime(np.concatenate([sigma.ravel(), tau.ravel()]), value, 1e-6)
    params = AdditiveParams(torch.tensor(sigma), torch.tensor(tau), torch.zeros(k).double())
    found = channel.slopes(torch.tensor(q), named, params)
    np.testing.assert_allclose(np.concatenate([f.numpy().ravel() for f in found]), numeric, atol=1e-5)


def test_the_m_step_never_loses_and_arrives_where_scipy_does() -> None:
    k, table, rng = 3, tiny(), np.random.default_rng(2)
    named, channel = NamedTruths(votes_of(table)), Additive(ALPHA, BETA)
    q = rng.dirichlet(np.ones(k), 6)
    shape, size = (4, k, k), 4 * k * k

    def value(x: np.ndarray) -> float:
        return dual(table, q, x[:size].reshape(shape), full_tau(named, x[size:].reshape(-1, k), 6, k))

    best = minimize(
        lambda x: -value(x), np.zeros(size + len(named.code) * k), method="BFGS", options={"gtol": 1e-5}
    )
    params, path = None, []
    for _ in range(120):
        params = channel.improve(torch.tensor(q), named, params)
        path.append(value(np.concatenate([params.sigma.numpy().ravel(), params.tau.numpy().ravel()])))
    assert np.diff(path).min() >= -1e-12
    assert path[-1] == pytest.approx(-best.fun, abs=1e-6)
    # Stationary: each annotator's and each task's expected confusions are the observed ones, to the slack.
    for slope in channel.slopes(torch.tensor(q), named, params):
        assert slope.abs().max() < 1e-6


@pytest.mark.slow
def test_without_penalties_expected_confusions_are_the_observed() -> None:
    """What the paper constrains: for every annotator and truth, sums of chances = counts of labels."""
    table, rng = tiny(2), np.random.default_rng(3)
    votes = votes_of(table)
    named, q = NamedTruths(votes), rng.dirichlet(np.ones(2), 6)
    params = None
    for _ in range(3000):
        params = Additive(1e-6, 1e-6).improve(torch.tensor(q), named, params)
    tau = full_tau(named, params.tau.numpy(), 6, 2)
    observed, expected = np.zeros((2, 4, 2, 2))
    for i, j, l in zip(*votes[:3], strict=True):
        observed[j, :, l] += q[i]
        expected[j] += q[i][:, None] * np.exp(log_rows(params.sigma[j].numpy(), tau[i]))
    np.testing.assert_allclose(expected, observed, atol=1e-3)


def test_the_e_step_and_the_objective_by_loops() -> None:
    k, table, rng = 3, tiny(), np.random.default_rng(4)
    problem = AdditiveEM(
        votes_of(table), Additive(ALPHA, BETA), torch.log(torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64))
    )
    sigma, tau = rng.normal(size=(4, k, k)), rng.normal(size=(len(problem.index.code), k))
    params = AdditiveParams(torch.tensor(sigma), torch.tensor(tau), torch.zeros(k).double())
    posterior, objective = problem.expect(MinimaxParams(problem.fixed, params))
    whole = full_tau(problem.index, tau, 6, k)
    scores = np.tile(np.log([0.5, 0.3, 0.2]), (6, 1))
    for i, j, l in zip(*votes_of(table)[:3], strict=True):
        scores[i] += log_rows(sigma[j], whole[i])[:, l]
    mass = np.exp(scores).sum(axis=1)
    np.testing.assert_allclose(posterior.numpy(), np.exp(scores) / mass[:, None], rtol=1e-10)
    penalty = -1e-10 * np.log([0.5, 0.3, 0.2]).sum() + 0.5 * (
        ALPHA * (sigma**2).sum() + BETA * (tau**2).sum()
    )
    assert objective == pytest.approx(np.log(mass).sum() - penalty, rel=1e-10)


def misleading(seed: int) -> tuple[Annotations, np.ndarray]:
    """A quarter of the tasks mislead all but the experts, who are a quarter of the annotators."""
    rng = np.random.default_rng(seed)
    n, r = 200, 24
    truth, hard = rng.integers(0, 2, n), rng.random(n) < 0.25
    right = np.where(np.arange(r) < 6, 0.9, np.where(hard[:, None], 0.3, 0.8))
    said = np.where(rng.random((n, r)) < right, truth[:, None], 1 - truth[:, None])
    return Annotations.from_matrix(said), truth


@pytest.mark.slow
def test_tasks_that_mislead_are_seen_through() -> None:
    """Dawid-Skene takes each vote of a misled crowd for news; a task's confusion explains many at once."""
    ours, theirs = [], []
    for seed in range(4):
        table, truth = misleading(seed)
        ours.append(score(MMCE().fit(table).result_.chances, truth))
        theirs.append(score(DawidSkene().fit(table).result_.chances, truth))
    accuracy, loss = (
        [np.mean([s[f] for s in side]) for side in (ours, theirs)] for f in ("accuracy", "log-loss")
    )
    assert accuracy[0] >= accuracy[1]
    assert loss[0] < loss[1]


def test_bluebirds_at_or_above_dawid_skene() -> None:
    if data_folder() is None:
        pytest.skip(NEEDED)
    crowd = next(class_crowds(("bluebirds",)))
    ours, theirs = (score(m.fit(crowd.labels).result_.chances, crowd.truth) for m in (MMCE(), DawidSkene()))
    assert ours["accuracy"] >= theirs["accuracy"]
    assert ours["accuracy"] >= 0.91  # the paper's .9167


def test_an_expected_confusion_and_the_penalty() -> None:
    """sigma alone says how an annotator answers; a huge penalty leaves everybody at random."""
    table, _ = misleading(0)
    confusion = MMCE().fit(table).result_.confusion(0)
    np.testing.assert_allclose(confusion.sum(axis=1), 1)
    assert confusion.diagonal().min() > 0.75
    flat = MMCE(alpha=1e6).fit(table).result_
    np.testing.assert_allclose(flat.confusion(0), 0.5, atol=1e-3)
    np.testing.assert_allclose(
        flat.chances, np.exp(flat.evidence.log_truth)[None].repeat(200, axis=0), atol=0.01
    )
