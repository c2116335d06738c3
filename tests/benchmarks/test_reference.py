"""The plain program that judges between us and the peer, itself judged by loops; and the engine by it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.equality import ours
from benchmarks.real_crowds import Crowd
from benchmarks.reference import FLOOR, dawid_skene

from manyhands import Annotations, simulate


@pytest.fixture
def crowd() -> Crowd:
    made = simulate("confusion", n_tasks=40, n_annotators=12, n_classes=4, redundancy=3, seed=2)
    return Crowd("made", made.labels, made.truth)


@pytest.mark.parametrize("iterations", [1, 4])
def test_engine_is_the_plain_program(crowd: Crowd, iterations: int) -> None:
    plain = dawid_skene(crowd.labels, iterations)
    assert np.abs(ours(crowd, "DawidSkene", iterations, "float64") - plain).max() < 1e-6
    assert np.abs(ours(crowd, "DawidSkene", iterations, "float32") - plain).max() < 1e-4


def test_the_two_rules_differ_where_a_row_is_empty() -> None:
    # No vote tells what j1 and j2 say of class 2, nor what j2 says of class 1.
    labels = Annotations.from_dict({"s": {"j1": 0, "j2": 0}, "t": {"j1": 1, "j3": 0}, "u": {"j3": 2}})
    even, used = dawid_skene(labels, 1), dawid_skene(labels, 1, like_peer=True)
    assert np.abs(even - used).max() > 0.01


@pytest.mark.parametrize("like_peer", [False, True])
def test_plain_program_by_loops(like_peer: bool) -> None:
    votes = {0: {0: 0, 1: 0, 2: 1}, 1: {0: 1, 2: 1}, 2: {1: 2, 2: 0}}
    rows = [(i, j, label) for i, own in votes.items() for j, label in own.items()]
    labels = Annotations.from_arrays(*map(list, zip(*rows, strict=True)), classes=[0, 1, 2])
    share = {
        i: [sum(said == k for said in own.values()) / len(own) for k in range(3)] for i, own in votes.items()
    }

    def chance(j: int, said: int, k: int) -> float:
        allowed = {own[j] for own in votes.values() if j in own} if like_peer else {0, 1, 2}
        counts = {}
        for label in allowed:
            n = sum(share[i][k] for i, own in votes.items() if own.get(j) == label)
            counts[label] = max(n, FLOOR) if like_peer else n + FLOOR
        return counts[said] / sum(counts.values())

    for i, own in votes.items():
        mass = []
        for k in range(3):
            prior = sum(share[t][k] for t in votes) / len(votes)
            mass.append(prior * math.prod(chance(j, said, k) for j, said in own.items()))
        expected = np.array(mass) / sum(mass)
        np.testing.assert_allclose(dawid_skene(labels, 1, like_peer=like_peer)[i], expected, atol=1e-12)
