"""Intervals by a bootstrap over tasks, for any figure that is a function of sums over tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..errors import ParameterError
from .figures import Figure

__all__ = ["NO_PAIR", "ONE_CLASS", "Resampling", "estimate", "resampling"]

NO_PAIR = "no task has two labels"
ONE_CLASS = (
    "every label is the same, so agreement by chance is certain and the figure undefined (0 / 0); "
    "the percentage says what can be said"
)
UNANIMOUS = "no task departs from full agreement; low is the binomial limit of how often one might"
CHUNK = 1 << 22  # numbers in one chunk of resampled sums, 32 MB


class Resampling(NamedTuple):
    """How an interval is made: its level, the number of resamples, the seed."""

    level: float
    n_boot: int
    seed: int


def resampling(level: float, n_boot: int, seed: int) -> Resampling:
    """The settings, checked."""
    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} must lie between 0 and 1, such as 0.95")
    if n_boot < 0 or n_boot != int(n_boot):
        raise ParameterError(
            f"n_boot={n_boot!r} must be a number of resamples, such as 1000 (0: no interval)"
        )
    return Resampling(float(level), int(n_boot), seed)


def estimate(
    name: str,
    sums: np.ndarray,
    value: Callable[[np.ndarray], np.ndarray],
    n: int,
    how: Resampling,
    undefined: str = ONE_CLASS,
    counts_agreement: bool = False,
) -> Figure:
    """The figure of the summed blocks, with the interval of its resamples.

    sums: [blocks, S]; value: from totals [..., S] to figures [...], at most 1, nan where undefined.
    counts_agreement: the first column counts agreements, and the figure is linear in it.

    >>> sums = np.array([[1.0, 2.0], [2.0, 2.0], [0.0, 2.0]])
    >>> figure = estimate("share", sums, lambda s: s[..., 0] / s[..., 1], 3, Resampling(0.95, 200, 0))
    >>> figure.value, figure.low, figure.high
    (0.5, 0.0, 1.0)
    """
    if not n:
        return Figure(name, np.nan, np.nan, np.nan, 0, NO_PAIR)
    point = float(value(sums.sum(axis=0)))
    if np.isnan(point):
        return Figure(name, np.nan, np.nan, np.nan, n, undefined)
    if len(sums) == 1:
        return Figure(name, point, np.nan, np.nan, n, "one task only: no interval over tasks")
    if not how.n_boot:
        return Figure(name, point, np.nan, np.nan, n)
    if point > 1 - 1e-12:
        worst = float(value(np.append(0.0, sums.sum(axis=0)[1:]))) if counts_agreement else 0.0
        low = 1 - (1 - worst) * (1 - ((1 - how.level) / 2) ** (1 / len(sums)))
        return Figure(name, point, low, point, n, UNANIMOUS)
    drawn = _resampled(sums, value, how)
    defined = drawn[~np.isnan(drawn)]
    lost = len(drawn) - len(defined)
    note = f"{lost} of {len(drawn)} resamples, all of one class, left out of the interval" if lost else ""
    low, high = _percentiles(defined, how.level)
    return Figure(name, point, low, high, n, note)


def _resampled(sums: np.ndarray, value: Callable[[np.ndarray], np.ndarray], how: Resampling) -> np.ndarray:
    """[resamples] the figure where every block was drawn as often as chance had it."""
    blocks, width = sums.shape
    rng = np.random.default_rng(how.seed)
    step = max(1, CHUNK // max(width, blocks))
    drawn = []
    for start in range(0, how.n_boot, step):
        rows = min(step, how.n_boot - start)
        cells = rng.integers(blocks, size=(rows, blocks)) + np.arange(rows)[:, None] * blocks
        weights = np.bincount(cells.ravel(), minlength=rows * blocks).reshape(rows, blocks)
        drawn.append(value(weights.astype(np.float64) @ sums))
    return np.concatenate(drawn)


def _percentiles(drawn: np.ndarray, level: float) -> tuple[float, float]:
    if not len(drawn):
        return np.nan, np.nan
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
