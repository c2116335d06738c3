"""The EM loop: what it returns, when it stops, what restarts do."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from manyhands.training import run_em, run_restarts

from .test_squarem import Slow


def test_stops_when_a_step_gains_less_than_tol_a_vote() -> None:
    run = run_em(Slow(), max_iter=1000, tol=1e-3)
    path = [entry["objective"] for entry in run.history]
    gains = [b - a for a, b in pairwise(path)]
    assert run.converged
    assert gains[-1] <= 1e-3 < min(gains[:-1])
    assert [entry["iteration"] for entry in run.history] == list(range(len(path)))


@pytest.mark.parametrize("max_iter", [1, 2, 7])
@pytest.mark.parametrize("accelerate", [False, True])
def test_no_more_steps_than_asked(max_iter: int, accelerate: bool) -> None:
    seen: list[tuple[int, float]] = []
    run = run_em(
        Slow(), max_iter=max_iter, tol=-1.0, accelerate=accelerate, callback=lambda *step: seen.append(step)
    )
    assert len(run.history) == max_iter
    assert not run.converged
    assert [step for step, _ in seen] == list(range(2, max_iter + 1))
    assert [value for _, value in seen] == [entry["objective"] for entry in run.history[1:]]
    assert run.objective == run.history[-1]["objective"] == -float((run.params - 10) ** 2)


def test_a_start_is_gone_on_from() -> None:
    run = run_em(Slow(), start=torch.tensor([9.0]).double(), max_iter=1)
    assert run.params.item() == pytest.approx(9.05)


def test_restarts_are_seeded_differ_and_the_best_stays() -> None:
    best = [run_restarts(Slow(), n, 3, max_iter=3, tol=0.0).objective for n in (1, 2, 5, 5)]
    assert best == sorted(best)
    assert best[2] == best[3]
    assert best[0] < best[2]
    assert run_restarts(Slow(), 5, 4, max_iter=3, tol=0.0).objective != best[3]
    assert run_restarts(Slow(), 2, 2**63, max_iter=2).history
