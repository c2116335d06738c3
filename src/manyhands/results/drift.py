"""Annotators who changed over time: the first half of each one's answers against the second."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..annotations import group
from ..annotations.moments import moment_column, moments
from ..errors import ParameterError
from .false_alarms import q_values

if TYPE_CHECKING:
    from .result import Result

__all__ = ["FEWEST", "drift_table"]

FEWEST = 20  # answers with a time, ten a half; of fewer nothing can be said
CROWD = 5  # annotators, of whom the middle one says what is usual


class _Half(NamedTuple):
    """[annotators] the answers, their mean, and the sum of squares about it."""

    n: np.ndarray
    mean: np.ndarray
    squares: np.ndarray


def drift_table(result: Result, when: str | None, level: float) -> pl.DataFrame:
    """The table of `Result.drift`."""
    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} must lie between 0 and 1, such as 0.95")
    labels = result.labels
    column = moment_column(labels) if when is None else when
    if column is None:
        raise ParameterError(
            f"no column says when the answers were given (alongside are: "
            f"{', '.join(map(repr, labels.columns)) or 'none'}); keep one with columns=[...], name it with when="
        )
    numeric = labels.kind == "number"
    right, moment = _rightness(result), moments(labels, column)
    rows = np.flatnonzero(~np.isnan(right) & ~np.isnan(moment))
    rows = rows[np.argsort(moment[rows], kind="stable")]
    rows = rows[group(labels.annotator[rows], labels.n_annotators)[0]]
    fair = right[rows] if numeric else _allowed_for(right, labels.task, labels.annotator)[rows]
    early, late = _halves(labels.annotator[rows], fair, labels.n_annotators)
    change, error, freedom = _change(early, late, bounded=not numeric)
    told = (early.n + late.n >= FEWEST) & (error > 0)
    change, error = _beyond_usual(np.where(told, change, np.nan), np.where(told, error, np.nan))
    columns = _tested(change, error, freedom, level)
    return pl.DataFrame(
        [
            labels.annotators.to_series("annotator"),
            pl.Series("n", early.n + late.n),
            *(pl.Series(name, values).fill_nan(None) for name, values in
              {"early": early.mean, "late": late.mean, **columns}.items()),
        ]
    )  # fmt: skip


def _rightness(result: Result) -> np.ndarray:
    """[answers] the chance that it is right, over its tokens or labels; of numbers the error; nan: abstained."""
    labels, (unit, _, label) = result.labels, result.labels.rows
    if labels.kind == "number":
        return np.asarray(label - result.numbers.mean[unit])
    chances = result.chances
    if labels.kind == "soft":
        return np.asarray((label * chances[unit]).sum(axis=1))
    right = np.where(label >= 0, chances[unit, np.maximum(label, 0)], np.nan).astype(np.float64)
    if len(right) == labels.n_answers:
        return right
    starts = labels.answers.starts
    size = len(right) // labels.n_answers if starts is None else np.diff(starts)
    answer = np.repeat(np.arange(labels.n_answers), size)
    told = ~np.isnan(right)
    n = np.bincount(answer[told], minlength=labels.n_answers)
    total = np.bincount(answer[told], right[told], labels.n_answers)
    return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)


def _allowed_for(right: np.ndarray, task: np.ndarray, annotator: np.ndarray) -> np.ndarray:
    """Rightness less what the others' on the same task foretell of it, by one slope for all annotators."""
    told = ~np.isnan(right)
    known = np.where(told, right, 0.0)
    n, total = np.bincount(task, told), np.bincount(task, known)
    others = np.divide(total[task] - known, n[task] - 1, out=np.full(len(right), np.nan), where=n[task] > 1)
    others -= np.nanmean(others) if (n > 1).any() else 0.0
    usable = told & ~np.isnan(others)
    x, y = (_less_own_mean(values[usable], annotator[usable]) for values in (others, right))
    slope = float(x @ y) / max(float(x @ x), 1e-12)
    return right - max(slope, 0.0) * np.where(np.isnan(others), 0.0, others)


def _less_own_mean(values: np.ndarray, annotator: np.ndarray) -> np.ndarray:
    n = np.maximum(np.bincount(annotator), 1)
    return np.asarray(values - (np.bincount(annotator, values) / n)[annotator])


def _halves(annotator: np.ndarray, values: np.ndarray, size: int) -> tuple[_Half, _Half]:
    """By the order in which they come; the one in the middle of an odd number is late."""
    n = np.bincount(annotator, minlength=size)
    rank = np.arange(len(annotator)) - (np.cumsum(n) - n)[annotator]
    early = rank < n[annotator] // 2
    return _half(annotator[early], values[early], size), _half(annotator[~early], values[~early], size)


def _half(annotator: np.ndarray, values: np.ndarray, size: int) -> _Half:
    n = np.bincount(annotator, minlength=size)
    mean = np.divide(np.bincount(annotator, values, size), n, out=np.full(size, np.nan), where=n > 0)
    return _Half(n, mean, np.bincount(annotator, (values - mean[annotator]) ** 2, size))


def _change(early: _Half, late: _Half, bounded: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Late less early, its standard error, and the degrees of freedom.

    bounded: of accuracies the spread has one right and one wrong answer more in each half (Agresti and
    Caffo, 2000), else forty right answers would prove that there will never be a wrong one.
    """
    squares, n = early.squares + late.squares, early.n + late.n
    if bounded:
        squares, n = squares + _two_more(early) + _two_more(late), n + 4
    variance = squares / np.maximum(n - 2, 1)
    error = np.sqrt(variance * (1 / np.maximum(early.n, 1) + 1 / np.maximum(late.n, 1)))
    return late.mean - early.mean, error, np.maximum(early.n + late.n - 2, 1)


def _two_more(half: _Half) -> np.ndarray:
    """What a 0 and a 1 add to the sum of squares about the mean of all."""
    return np.asarray(0.5 + 2 * half.n / (half.n + 2) * (half.mean - 0.5) ** 2)


def _beyond_usual(change: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Less what the middle annotator changed by, with its doubt; of a few annotators as it is."""
    told = np.flatnonzero(~np.isnan(change))
    if len(told) < CROWD:
        return change, error
    order = told[np.argsort(change[told], kind="stable")]
    weight = np.cumsum(1 / error[order] ** 2)
    usual = change[order][np.searchsorted(weight, weight[-1] / 2)]
    return change - usual, np.sqrt(error**2 + np.pi / 2 / weight[-1])  # the variance of a median


def _tested(
    change: np.ndarray, error: np.ndarray, freedom: np.ndarray, level: float
) -> dict[str, np.ndarray]:
    from scipy.stats import t

    wide = t.ppf((1 + level) / 2, freedom) * error
    p = 2 * t.sf(np.abs(change) / error, freedom)
    return {"change": change, "low": change - wide, "high": change + wide, "q": q_values(p)}
