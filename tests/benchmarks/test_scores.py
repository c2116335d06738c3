"""Accuracy with ties shared, against drawing the guesses; held-out likelihood, against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.heldout import heldout_likelihood
from benchmarks.scores import CLIP, score

from manyhands import DawidSkene, OneCoin, simulate, split


def test_ties_are_shared_as_a_fair_draw_expects() -> None:
    rng = np.random.default_rng(0)
    chances = rng.integers(1, 3, size=(200, 3)).astype(float)
    chances /= chances.sum(axis=1, keepdims=True)
    truth = rng.integers(-1, 4, size=200)  # 3: a class that nobody voted for
    told = truth >= 0
    best = [np.flatnonzero(np.isclose(row, row.max())) for row in chances]
    drawn = np.mean(
        [[rng.choice(b) == z for b, z in zip(best, truth, strict=True)] for _ in range(400)], axis=0
    )
    found = score(chances, truth)
    assert found["accuracy"] == pytest.approx(drawn[told].mean(), abs=0.02)
    losses = [-math.log(row[z] if z < 3 else CLIP) for row, z in zip(chances[told], truth[told], strict=True)]
    assert found["log-loss"] == pytest.approx(np.mean(losses))


@pytest.mark.parametrize("model", [DawidSkene(shared=2), OneCoin()])
def test_heldout_likelihood_by_loops(model: object) -> None:
    labels = simulate("confusion", n_tasks=30, n_annotators=6, redundancy=4, seed=3).labels
    found = heldout_likelihood(model, labels, seed=1)
    seen, held = split(labels, 0.1, random_state=1)
    result = model.fit(seen).result_  # type: ignore[attr-defined]
    logs = []
    for i, j, said in zip(held.task, held.annotator, held.answers.values, strict=True):
        confusion = result.confusion(held.annotators[int(j)])
        logs.append(math.log(sum(result.chances[i, k] * confusion[k, said] for k in range(3))))
    assert found == pytest.approx(np.mean(logs), rel=1e-5)
