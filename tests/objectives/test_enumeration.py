"""The E-step of every problem equals brute force over all truths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from manyhands.channels import Ability, Confusion, OneCoin, Spam, Votes
from manyhands.channels.ability import AbilityParams
from manyhands.channels.confusion import ConfusionParams
from manyhands.channels.one_coin import OneCoinParams
from manyhands.channels.spam import SpamParams
from manyhands.objectives import AbilityEM, GladParams, JointEM, JointParams

from .tiny import Chance, enumerate_truths, tiny_votes

SHAPES = [(4, 3, 2), (5, 4, 3), (1, 2, 3), (5, 1, 2), (3, 3, 1)]


def _confusion(rng: np.random.Generator, votes: Votes) -> tuple[Any, Any, Chance]:
    matrix = rng.dirichlet(np.ones(votes.n_labels), (votes.n_annotators, votes.n_classes))  # [j, k, l]
    rows = torch.tensor(np.log(matrix).transpose(0, 2, 1).copy())
    return (
        Confusion(),
        ConfusionParams(rows, rows[0], torch.ones(len(rows))),
        lambda l, k, j, i: matrix[j, k, l],
    )


def _one_coin(rng: np.random.Generator, votes: Votes) -> tuple[Any, Any, Chance]:
    p, k_all = rng.uniform(0.1, 0.9, votes.n_annotators), votes.n_classes

    def chance(label: int, truth: int, j: int, i: int) -> float:
        if k_all == 1 or label >= k_all:
            return 1.0
        return float(p[j] if label == truth else (1 - p[j]) / (k_all - 1))

    params = OneCoinParams(torch.tensor(np.log(p / (1 - p))), torch.zeros(votes.n_labels, k_all))
    return OneCoin(), params, chance


def _spam(rng: np.random.Generator, votes: Votes) -> tuple[Any, Any, Chance]:
    theta = rng.uniform(0.1, 0.9, votes.n_annotators)
    habit = rng.dirichlet(np.ones(votes.n_labels), votes.n_annotators)
    size = torch.zeros(votes.n_labels, votes.n_classes, dtype=torch.float64)
    params = SpamParams(torch.tensor(np.log(theta / (1 - theta))), torch.tensor(np.log(habit)), size)
    return Spam(), params, lambda l, k, j, i: theta[j] * (l == k) + (1 - theta[j]) * habit[j, l]


MAKERS = {"confusion": _confusion, "one-coin": _one_coin, "spam": _spam}


@pytest.mark.parametrize("extra", ["plain", "known", "inform", "soft"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("maker", MAKERS)
def test_joint_em(maker: str, shape: tuple[int, int, int], extra: str) -> None:
    votes = tiny_votes(sum(shape), *shape, abstentions=extra == "inform", soft=extra == "soft")
    rng = np.random.default_rng(7)
    prior = rng.dirichlet(np.ones(votes.n_classes))
    known = rng.integers(-1, votes.n_classes, votes.n_units) if extra == "known" else None
    channel, params, chance = MAKERS[maker](rng, votes)
    expected, likelihood = enumerate_truths(votes, prior, chance, known)
    problem = JointEM(votes, channel, known=known, log_truth=torch.tensor(np.log(prior)), dtype=torch.float64)
    posterior, objective = problem.expect(JointParams(torch.tensor(np.log(prior)), params))
    np.testing.assert_allclose(posterior.numpy(), expected, rtol=1e-9, atol=1e-12)
    penalty = channel.log_prior(params) + problem.smoothing * np.log(prior).sum()
    assert objective - penalty == pytest.approx(likelihood, rel=1e-9)
    single = JointEM(votes, channel, known=known, log_truth=problem.fixed)
    np.testing.assert_allclose(
        single.expect(JointParams(torch.tensor(np.log(prior)), params))[0].numpy(), expected, atol=2e-6
    )


@pytest.mark.parametrize("known_truths", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_ability_em(shape: tuple[int, int, int], known_truths: bool) -> None:
    votes = tiny_votes(1, *shape)
    rng = np.random.default_rng(3)
    prior = rng.dirichlet(np.ones(votes.n_classes))
    known = rng.integers(-1, votes.n_classes, votes.n_units) if known_truths else None
    ability, log_easy = rng.normal(1, 1, votes.n_annotators), rng.normal(0, 0.7, votes.n_units)

    def chance(label: int, truth: int, j: int, i: int) -> float:
        right = 1 / (1 + np.exp(-ability[j] * np.exp(log_easy[i])))
        return float(right if label == truth else (1 - right) / max(votes.n_classes - 1, 1))

    expected, likelihood = enumerate_truths(votes, prior, chance, known)
    problem = AbilityEM(votes, Ability(), torch.tensor(np.log(prior)), known=known)
    params = GladParams(problem.log_truth, AbilityParams(torch.tensor(ability), torch.tensor(log_easy)))
    posterior, objective = problem.expect(params)
    np.testing.assert_allclose(posterior.numpy(), expected, rtol=1e-9, atol=1e-12)
    densities = -0.5 * (((ability - 1) ** 2).sum() + ((log_easy - 1) ** 2).sum())
    assert objective == pytest.approx(likelihood + densities, rel=1e-9)
