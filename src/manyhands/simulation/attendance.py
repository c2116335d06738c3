"""Who answers which task: how many, how often, and never twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ParameterError
from .bounds import choice

__all__ = ["activities", "attend", "check_redundancy", "turnout"]

PIECE = 4_000_000  # how many cells of tasks x annotators are held at a time
Redundancy = int | float | tuple[int, int]


def check_redundancy(redundancy: Any, n_annotators: int) -> Redundancy:
    """A number of answers a task, a (low, high) range of it, or as a float its mean."""
    if isinstance(redundancy, (list, tuple)):
        sound = len(redundancy) == 2 and all(_is_whole(r) for r in redundancy)
        if not sound or not 0 <= redundancy[0] <= redundancy[1]:
            raise ParameterError(
                f"redundancy={redundancy!r} must be (low, high), whole numbers with 0 <= low <= high"
            )
        most: float = redundancy[1]
    elif _is_whole(redundancy) or isinstance(redundancy, (float, np.floating)):
        most = redundancy
        if not most >= 0:
            raise ParameterError(f"redundancy={redundancy!r} must not be below 0")
    else:
        raise ParameterError(
            f"redundancy={redundancy!r} must be a whole number, a range (low, high), or a mean such as 2.5"
        )
    if most > n_annotators:
        raise ParameterError(
            f"redundancy={redundancy!r} asks for more answers a task than there are annotators "
            f"({n_annotators}), and nobody answers a task twice: lower it, or raise n_annotators"
        )
    return tuple(redundancy) if isinstance(redundancy, list) else redundancy  # type: ignore[return-value]


def turnout(redundancy: Redundancy, size: int, n_annotators: int, rng: np.random.Generator) -> np.ndarray:
    """How many annotators answer each task.

    A range is drawn evenly. A float is a mean: each annotator is in with the same chance (CMM's
    set-up), so a task may get no answer.

    >>> turnout((2, 3), 5, 10, np.random.default_rng(0)).tolist()
    [3, 3, 3, 2, 2]
    """
    if isinstance(redundancy, tuple):
        return rng.integers(redundancy[0], redundancy[1], size, endpoint=True)
    if isinstance(redundancy, Integral):
        return np.full(size, int(redundancy))
    return rng.binomial(n_annotators, redundancy / n_annotators, size)


def activities(activity: str, n_annotators: int, rng: np.random.Generator) -> np.ndarray:
    """How likely each annotator is to be the next to answer; Zipf's law in a random order.

    >>> activities("zipf", 3, np.random.default_rng(0)).round(2).tolist()
    [0.18, 0.55, 0.27]
    """
    if choice("activity", activity, ("uniform", "zipf")) == "uniform":
        return np.full(n_annotators, 1 / n_annotators)
    weights = 1 / np.arange(1, n_annotators + 1)
    return rng.permutation(weights / weights.sum())


def attend(counts: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The annotators of all tasks, one task after another, distinct within each.

    Annotators are drawn one by one by weight from those not drawn yet.

    >>> attend(np.array([2, 3]), np.full(3, 1 / 3), np.random.default_rng(0)).tolist()
    [2, 0, 0, 1, 2]
    """
    most = int(counts.max(initial=0))
    crowded = 4 * most > len(weights)
    width = len(weights) if crowded else most
    seat = _by_sorting if crowded else _by_redrawing
    draw = _drawer(weights, rng)
    seated = [
        seat(counts[rows], most, weights, draw, rng)[np.arange(most) < counts[rows, None]]
        for rows in _pieces(len(counts), width)
    ]
    return np.concatenate(seated) if seated else np.empty(0, dtype=np.int32)


def _by_sorting(
    counts: np.ndarray, most: int, weights: np.ndarray, draw: Any, rng: np.random.Generator
) -> np.ndarray:
    """The first arrivals of exponential clocks with these rates: the same law, without redrawing."""
    arrivals = rng.standard_exponential((len(counts), len(weights))) / weights
    return np.argsort(arrivals, axis=1)[:, :most].astype(np.int32)


def _by_redrawing(
    counts: np.ndarray, most: int, weights: Any, draw: Callable[[int], np.ndarray], rng: Any
) -> np.ndarray:
    """Whoever sits there already is drawn anew: for far fewer answers than annotators."""
    seats = np.full((most, len(counts)), -1, dtype=np.int32)
    for seat in range(most):
        open_ = np.flatnonzero(counts > seat)
        while len(open_):
            seats[seat, open_] = draw(len(open_))
            clash = np.zeros(len(open_), dtype=bool)
            for before in seats[:seat]:
                clash |= before[open_] == seats[seat, open_]
            open_ = open_[clash]
    return seats.T


def _drawer(weights: np.ndarray, rng: np.random.Generator) -> Callable[[int], np.ndarray]:
    size = len(weights)
    if (weights == weights[0]).all():
        return lambda n: rng.integers(size, size=n, dtype=np.int32)
    ends = np.cumsum(weights)
    ends /= ends[-1]
    return lambda n: np.searchsorted(ends, rng.random(n), side="right").astype(np.int32)


def _pieces(size: int, width: int) -> Iterator[slice]:
    step = max(1, PIECE // max(width, 1))
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
