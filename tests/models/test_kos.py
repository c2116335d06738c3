"""KOS against its messages written out for every pair, and on the crowds of its theory."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands import KOS, Annotations, MajorityVote

from .made import from_matrices


def written_out(
    wide: np.ndarray, first: np.ndarray, rounds: int, average: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The paper's algorithm on a dense matrix of -1, 0 and 1: the sums that it takes the signs of, and their weight."""
    n, r = wide.shape
    y = first.copy()
    for _ in range(rounds):
        x = np.zeros((n, r))
        for i in range(n):
            for j in range(r):
                x[i, j] = sum(wide[i, b] * y[i, b] for b in range(r) if b != j)
        for i in range(n):
            for j in range(r):
                heard = [wide[a, j] * x[a, j] for a in range(n) if a != i and wide[a, j]]
                y[i, j] = sum(heard) / (len(heard) if average else 1)
    return (wide * y).sum(axis=1), np.abs(wide * y).sum(axis=1)


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize("deviation", [0.0, 1.0])
@pytest.mark.parametrize("average", [False, True])
def test_two_classes_by_loops(rounds: int, deviation: float, average: bool) -> None:
    rng = np.random.default_rng(0)
    wide = rng.choice([-1, 0, 1], (12, 6), p=[0.35, 0.3, 0.35])
    table = Annotations.from_matrix(np.where(wide == 0, -1, (wide + 1) // 2), classes=[0, 1])
    first = np.ones(wide.shape)
    row, column = np.nonzero(wide)
    first[row, column] = np.random.default_rng(7).normal(1.0, deviation, len(row))
    sums, weight = written_out(wide, first, rounds, average)
    model = KOS(rounds=rounds, deviation=deviation, average=average, random_state=7).fit(table)
    chances = model.predict_proba()
    np.testing.assert_allclose(chances[:, 1] - chances[:, 0], sums / weight, atol=1e-6)


def coins(accuracy: np.ndarray, k: int) -> np.ndarray:
    own = np.eye(k, dtype=bool)
    return np.where(own, accuracy[:, None, None], ((1 - accuracy) / (k - 1))[:, None, None])


@pytest.mark.parametrize("k", [2, 4])
def test_spammers_and_hammers(k: int) -> None:
    """The paper's crowd: some know, some guess; tasks dealt out evenly. Majority is left behind."""
    hammers = np.where(np.arange(60) < 20, 0.95, 1 / k)
    gains = []
    for seed in range(3):
        made = from_matrices(coins(hammers, k), 600, 9, seed=seed)
        model = KOS().fit(made.table)
        right, plain = (
            (m == made.truth).mean() for m in (model.predict(), MajorityVote().fit(made.table).predict())
        )
        gains.append(right - plain)
        weight = model.result_.annotators()["weight"].to_numpy()
        assert weight[:20].min() > weight[20:].max()
    assert min(gains) > 0.03


def test_adversaries_count_against_what_they_say() -> None:
    made = from_matrices(coins(np.array([0.9] * 7 + [0.02] * 3), 3), 600, 8, seed=1)
    model = KOS().fit(made.table)
    assert (model.predict() == made.truth).mean() > 0.97
    assert (model.result_.annotators()["weight"].to_numpy() < 0).tolist() == [False] * 7 + [True] * 3


def test_a_seed_decides_the_paper_s_start() -> None:
    made = from_matrices(coins(np.linspace(0.55, 0.9, 10), 2), 100, 4)
    one, same, other = (
        KOS(rounds=2, deviation=1.0, random_state=s).fit(made.table).predict_proba() for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 1e-3


def test_judging_new_tasks_by_the_weights() -> None:
    made = from_matrices(coins(np.array([0.95, 0.9, 0.6, 0.05]), 2), 300, 4, seed=2)
    model = KOS().fit(made.table)
    weight = model.result_.annotators()["weight"].to_numpy()
    new = Annotations.from_dict({"n": {0: 1, 2: 0, 3: 0}}, classes=[0, 1])
    share = (max(weight[0], 0) + max(-weight[3], 0) + max(-weight[2], 0)) / np.abs(weight[[0, 2, 3]]).sum()
    assert model.predict_proba(new)[0, 1] == pytest.approx(share, rel=1e-5)
