"""EM, written once: start, E-step, M-step, repeat, with tolerance, restarts and history."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import torch

from ..errors import ConvergenceWarning, users_line
from .squarem import extrapolate

__all__ = ["EMRun", "Problem", "State", "run_em", "run_restarts"]

Callback = Callable[[int, float], None]
TOL = 1e-5  # of the objective, a vote


class Problem(Protocol):
    """What EM needs to know: a model gives these and nothing else."""

    @property
    def n_votes(self) -> float:
        """What the tolerance is counted by."""
        ...

    def start(self, generator: torch.Generator | None) -> Any:
        """A posterior to begin with: the plain one, or with a generator one shaken at random."""
        ...

    def expect(self, params: Any) -> tuple[Any, float]:
        """E-step: the posterior of the truths, and the objective (log-likelihood plus log prior)."""
        ...

    def maximise(self, posterior: Any, params: Any | None) -> Any:
        """M-step: the parameters."""
        ...

    def project(self, params: Any) -> Any:
        """The nearest valid parameters, after an extrapolation."""
        ...


class State(NamedTuple):
    """Parameters, and the posterior and objective that they give."""

    params: Any
    posterior: Any
    objective: float


class EMRun(NamedTuple):
    """Where EM ended, and how it got there."""

    params: Any
    posterior: Any
    objective: float
    converged: bool
    history: list[dict[str, float]]


def run_em(
    problem: Problem,
    *,
    start: Any | None = None,
    max_iter: int = 100,
    tol: float = TOL,
    accelerate: bool = False,
    generator: torch.Generator | None = None,
    callback: Callback | None = None,
) -> EMRun:
    """Run until a step improves the objective by less than `tol` a vote, or `max_iter` E-steps.

    start: the posterior to go on from (warm start); else the problem's own. Parameters and
    posterior always match: the last step is an E-step.
    """
    params = problem.maximise(problem.start(generator) if start is None else start, None)
    state = State(params, *problem.expect(params))
    history = [_entry(0, state.objective)]
    advance = _accelerated if accelerate else _plain
    converged = False
    while len(history) < max_iter and not converged:
        for reached in advance(problem, state):
            state = reached
            history.append(_entry(len(history), state.objective))
            if callback is not None:
                callback(len(history), state.objective)
            gain = history[-1]["objective"] - history[-2]["objective"]
            converged = gain <= tol * max(problem.n_votes, 1.0)
            if converged or len(history) >= max_iter:
                break
    return EMRun(*state, converged, history)


def run_restarts(problem: Problem, n_init: int = 1, seed: int = 0, **options: Any) -> EMRun:
    """The best of several runs: the plain start, then `n_init - 1` different random ones.

    A later run must be better by what the tolerance calls a step: two that end at one place differ by rounding.
    """
    best = run_em(problem, **options)
    step = options.get("tol", TOL) * max(problem.n_votes, 1.0)
    for attempt in range(1, n_init):
        generator = torch.Generator().manual_seed((seed * 1_000_003 + attempt) % 2**63)
        run = run_em(problem, generator=generator, **(options | {"start": None}))
        best = run if run.objective > best.objective + step else best
    return best


def warn_unconverged(run: EMRun, max_iter: int, tol: float) -> None:
    """Say so, and which knob to turn, where EM stopped before it settled."""
    if run.converged or max_iter <= 1:
        return
    warnings.warn(
        f"EM stopped after max_iter={max_iter} steps, still improving by more than tol={tol:g} a vote: "
        f"raise max_iter, or set accelerate=True",
        ConvergenceWarning,
        stacklevel=users_line(),
    )


def _plain(problem: Problem, state: State) -> Iterator[State]:
    params = problem.maximise(state.posterior, state.params)
    yield State(params, *problem.expect(params))


def _accelerated(problem: Problem, state: State) -> Iterator[State]:
    """One SQUAREM cycle: two steps, then a leap along them, kept only where it is no loss."""
    first = next(_plain(problem, state))
    yield first
    second = problem.maximise(first.posterior, first.params)
    leap = problem.project(extrapolate(state.params, first.params, second))
    reached = State(leap, *problem.expect(leap))
    if reached.objective >= first.objective:
        yield reached
    else:
        yield State(second, *problem.expect(second))


def _entry(iteration: int, objective: float) -> dict[str, float]:
    return {"iteration": iteration, "objective": objective}
