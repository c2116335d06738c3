"""Each closed-form M-step is the optimum of the expected complete objective, found here by scipy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp

from manyhands.channels import Ability, Confusion, Gaussian, NumberVotes, OneCoin, Spam, VoteIndex, Votes
from manyhands.channels.ability import AbilityParams
from manyhands.channels.gaussian import GaussianParams, NormalTruth

R, K = 3, 3


@pytest.fixture
def counts() -> torch.Tensor:
    return torch.tensor(np.random.default_rng(0).gamma(1.5, 2.0, (R, K, K)))


def _best(objective: Callable[[np.ndarray], float], size: int) -> tuple[np.ndarray, float]:
    found = [
        minimize(lambda x: -objective(x), start, method="L-BFGS-B", options={"maxiter": 5000, "maxfun": 10**6,
                 "ftol": 1e-15, "gtol": 1e-9})
        for start in (np.zeros(size), np.random.default_rng(1).normal(size=size))
    ]  # fmt: skip
    best = min(found, key=lambda f: f.fun)
    return best.x, -best.fun


def _rows(x: np.ndarray) -> np.ndarray:
    """Logits [.., labels, classes] to log p(label | truth)."""
    return x - logsumexp(x, axis=-2, keepdims=True)


@pytest.mark.parametrize(("right", "wrong"), [(0.0, 0.0), (2.0, 1.0)])
def test_confusion(counts: torch.Tensor, right: float, wrong: float) -> None:
    def objective(x: np.ndarray) -> float:
        rows = _rows(x.reshape(R, K, K))
        pseudo = np.where(np.eye(K), right, wrong / (K - 1))
        return float(((counts.numpy() + pseudo) * rows).sum())

    x, _ = _best(objective, R * K * K)
    params = Confusion(right, wrong).maximise(counts)
    np.testing.assert_allclose(params.log_confusions.numpy(), _rows(x.reshape(R, K, K)), atol=1e-4)
    np.testing.assert_allclose(params.log_confusions.exp().sum(dim=1).numpy(), 1, rtol=1e-12)


def test_confusion_shared_steps(counts: torch.Tensor) -> None:
    """Given the rows, G is their geometric mean; given G, the rows are shrunk counts: both by scipy."""
    channel = Confusion(shared=4.0)
    before = channel.maximise(counts * 0.3 + 1)
    after = channel.maximise(counts, before)

    def penalty(log_g: np.ndarray, rows: np.ndarray) -> float:
        return float(-4.0 * (np.exp(log_g) * (log_g - rows)).sum())

    x, _ = _best(lambda x: penalty(_rows(x.reshape(K, K)), before.log_confusions.numpy()), K * K)
    np.testing.assert_allclose(after.log_shared.numpy(), _rows(x.reshape(K, K)), atol=1e-4)
    shared = after.log_shared.numpy()

    def given_shared(x: np.ndarray) -> float:
        rows = _rows(x.reshape(R, K, K))
        return float((counts.numpy() * rows).sum()) + penalty(shared, rows)

    x, _ = _best(given_shared, R * K * K)
    np.testing.assert_allclose(after.log_confusions.numpy(), _rows(x.reshape(R, K, K)), atol=1e-4)
    rows = after.log_confusions.numpy()
    assert channel.log_prior(after) == pytest.approx(penalty(shared, rows), abs=1e-6)


@pytest.mark.parametrize(("right", "wrong"), [(0.0, 0.0), (3.0, 1.0)])
def test_one_coin(counts: torch.Tensor, right: float, wrong: float) -> None:
    hit = counts.diagonal(dim1=1, dim2=2).sum(dim=1).numpy()
    miss = counts.sum(dim=(1, 2)).numpy() - hit
    x, _ = _best(lambda x: float(((hit + right) * log_expit(x) + (miss + wrong) * log_expit(-x)).sum()), R)
    channel = OneCoin(right, wrong)
    params = channel.maximise(counts)
    np.testing.assert_allclose(params.logit.numpy(), x, atol=1e-4)
    rows = channel.log_rows(params).exp().numpy()
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(rows[:, 0, 0], expit(x), atol=1e-5)


@pytest.mark.parametrize("priors", [(0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (2.0, 1.0, 0.1)])
@pytest.mark.parametrize("spare", [0, 1], ids=["plain", "inform"])
@pytest.mark.slow
def test_spam_climbs_to_the_optimum(priors: tuple[float, float, float], spare: int) -> None:
    """An EM within: no step loses, and it ends where scipy does."""
    counts = torch.tensor(
        np.random.default_rng(2).gamma(1.0, 3.0, (1, K + spare, K)) + 20 * np.eye(K + spare, K)
    )
    earnest, spamming, habit = priors

    def objective(x: np.ndarray) -> float:
        logit, xi = x[0], _rows(x[1:, None])[:, 0]
        spam = log_expit(-logit) + xi
        rows = np.repeat(spam[:, None], K, axis=1)
        rows[range(K), range(K)] = np.logaddexp(spam[:K], log_expit(logit))
        prior = earnest * log_expit(logit) + spamming * log_expit(-logit) + habit * xi.sum()
        return float((counts[0].numpy() * rows).sum() + prior)

    _, reached = _best(objective, K + spare + 1)
    channel, params, path = Spam(*priors), None, []
    for _ in range(400):
        params = channel.maximise(counts, params)
        path.append(float((counts * channel.log_rows(params)).sum()) + channel.log_prior(params))
    assert np.diff(path).min() >= -1e-9
    assert path[-1] == pytest.approx(reached, rel=1e-6)
    np.testing.assert_allclose(channel.log_rows(params).exp().sum(dim=1).numpy(), 1, rtol=1e-9)


def _number_case() -> tuple[NumberVotes, NormalTruth, GaussianParams]:
    rng = np.random.default_rng(5)
    unit, annotator = np.nonzero(rng.random((8, 3)) < 0.8)
    votes = NumberVotes(unit, annotator, rng.normal(3, 2, len(unit)), 8, 3)
    truth = NormalTruth(torch.tensor(rng.normal(3, 1, 8)), torch.tensor(rng.uniform(0.1, 0.5, 8)))
    params = GaussianParams(*(torch.tensor(v) for v in (
        rng.normal(size=3), rng.normal(size=3), np.array(3.0), np.array(0.2))))  # fmt: skip
    return votes, truth, params


def _number_objective(
    votes: NumberVotes, truth: NormalTruth, bias: np.ndarray, log_precision: np.ndarray,
    centre: float, log_spread: float, scale: float, channel: Gaussian,
) -> float:  # fmt: skip
    """E[log p(answers, truths)] under the posterior, and the priors."""
    m, v = truth.mean.numpy(), truth.variance.numpy()
    error = votes.value - m[votes.unit] - bias[votes.annotator]
    lam = log_precision[votes.annotator]
    answers = 0.5 * (lam - np.exp(lam) * (error**2 + v[votes.unit])).sum()
    truths = -0.5 * (log_spread + ((m - centre) ** 2 + v) * np.exp(-log_spread)).sum()
    gamma = 0.5 * channel.strength * (log_precision - np.exp(log_precision) * scale).sum()
    return float(answers + truths + gamma - 0.5 * channel.pull / scale * (bias**2).sum())


def test_gaussian_conditional_steps() -> None:
    """ECM: biases at the old precisions, then precisions at the new biases, then the truths' prior."""
    votes, truth, old = _number_case()
    channel, scale = Gaussian(2.0, 1.0), 1.7
    new = channel.maximise(truth, torch.tensor(votes.value), VoteIndex(votes), old, scale)

    def at(bias: np.ndarray, log_precision: np.ndarray, rest: np.ndarray) -> float:
        return _number_objective(votes, truth, bias, log_precision, rest[0], rest[1], scale, channel)

    rest = np.array([float(old.centre), float(old.log_spread)])
    bias, _ = _best(lambda x: at(x, old.log_precision.numpy(), rest), 3)
    np.testing.assert_allclose(new.bias.numpy(), bias, atol=1e-5)
    precision, _ = _best(lambda x: at(new.bias.numpy(), x, rest), 3)
    np.testing.assert_allclose(new.log_precision.numpy(), precision, atol=1e-5)
    found, _ = _best(lambda x: at(new.bias.numpy(), new.log_precision.numpy(), x), 2)
    np.testing.assert_allclose([float(new.centre), float(new.log_spread)], found, atol=1e-5)


def test_gaussian_without_priors_and_with_the_silent() -> None:
    """strength=0 and pull=0 are plain maximum likelihood; one who said nothing stays average."""
    votes, truth, old = _number_case()
    silent = votes._replace(n_annotators=4)
    more = old._replace(bias=torch.zeros(4).double(), log_precision=torch.zeros(4).double())
    new = Gaussian(0.0, 0.0).maximise(truth, torch.tensor(votes.value), VoteIndex(silent), more, 2.0)
    assert new.bias[3] == 0
    assert new.log_precision[3].exp().item() == pytest.approx(0.5)
    mine = votes.annotator == 1
    error = votes.value[mine] - truth.mean.numpy()[votes.unit[mine]]
    assert new.bias[1].item() == pytest.approx(error.mean())
    square = ((error - error.mean()) ** 2 + truth.variance.numpy()[votes.unit[mine]]).mean()
    assert new.log_precision[1].item() == pytest.approx(-np.log(square))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.slow
def test_ability_never_loses_and_arrives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    unit, annotator = np.nonzero(rng.random((6, 4)) < 0.8)
    votes = Votes(unit, annotator, np.zeros(len(unit), int), None, 6, 4, 2, 2)
    right, index, channel = torch.tensor(rng.random(len(unit))), VoteIndex(votes), Ability(0.5, -0.3)

    def objective(a: np.ndarray, b: np.ndarray) -> float:
        logit, p = a[annotator] * np.exp(b)[unit], right.numpy()
        prior = -0.5 * (((a - 0.5) ** 2).sum() + ((b + 0.3) ** 2).sum())
        return float((p * log_expit(logit) + (1 - p) * log_expit(-logit)).sum() + prior)

    params = AbilityParams(torch.tensor(rng.normal(0, 3, 4)), torch.tensor(rng.normal(0, 2, 6)))
    path = [objective(params.ability.numpy(), params.log_easiness.numpy())]
    for _ in range(300):
        params = channel.improve(right, index, params)
        path.append(objective(params.ability.numpy(), params.log_easiness.numpy()))
    assert np.diff(path).min() >= -1e-10
    x = np.concatenate([params.ability.numpy(), params.log_easiness.numpy()])
    local = minimize(lambda x: -objective(x[:4], x[4:]), x, method="BFGS", options={"gtol": 1e-9})
    assert path[-1] == pytest.approx(-local.fun, abs=1e-6)
    assert channel.log_prior(params) == pytest.approx(
        -0.5 * (((x[:4] - 0.5) ** 2).sum() + ((x[4:] + 0.3) ** 2).sum())
    )
