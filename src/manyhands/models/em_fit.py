"""EM as an aggregator steers it: restarts, tolerance, acceleration, and a word where it did not settle."""

from __future__ import annotations

from typing import Any

from ..training import EMRun, run_restarts
from ..training.em import warn_unconverged

__all__ = ["em_fit"]


def em_fit(model: Any, problem: Any, start: Any = None) -> EMRun:
    """The best run on a problem, by the model's own parameters; called by `_learn` and its like.

    start: what a warm start goes on from; None is the plain start.
    """
    run = run_restarts(
        problem, model.n_init, model.random_state, start=start, max_iter=model.max_iter, tol=model.tol,
        accelerate=model.accelerate, callback=model.callback,
    )  # fmt: skip
    warn_unconverged(run, model.max_iter, model.tol)
    return run
