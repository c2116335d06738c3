"""Answers that took no time, or far too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["odd_times"]

DURATIONS = ("time", "seconds", "duration", "lead_time", "worktime", "worktimeinseconds")
LEAST = 5
HASTY = 0.2  # of the usual time
LONG = 50.0  # times the usual time


def odd_times(labels: Annotations) -> list[Oddity]:
    """In every column alongside that is a duration."""
    return [
        oddity
        for name, values in labels.columns.items()
        if name.lower() in DURATIONS
        for oddity in _in_column(labels, name, values)
    ]


def _in_column(labels: Annotations, name: str, values: np.ndarray) -> list[Oddity]:
    if values.dtype.kind not in "iuf":
        return []
    seconds = values.astype(np.float64)
    known = np.isfinite(seconds)
    usual = float(np.median(seconds[known])) if known.any() else 0.0
    if usual <= 0 or usual > 1e8:  # a point in time, not a duration
        return []
    never, long = np.flatnonzero(known & (seconds <= 0)), np.flatnonzero(known & (seconds > LONG * usual))
    hasty = _hasty(labels, seconds, known, usual)
    return [
        *odd(f"no-time:{name}", f"answers with {name} of 0 or less", len(never), _where(labels, never, seconds),
             "the clock was wrong, or a program answered: look at who it was"),
        *odd(f"hasty:{name}", f"annotators whose median {name} is under a fifth of the usual {usual:g}",
             len(hasty), (f"{labels.annotators[j]!r} ({median:g})" for j, median in hasty[:SHOWN]),
             "look at their agreement with the rest: haste is only bad where the answers are"),
        *odd(f"long:{name}", f"answers with {name} over {LONG:g} times the usual {usual:g}", len(long),
             _where(labels, long, seconds), "somebody went for lunch: leave these out of any mean of times"),
    ]  # fmt: skip


def _hasty(
    labels: Annotations, seconds: np.ndarray, known: np.ndarray, usual: float
) -> list[tuple[int, float]]:
    import polars as pl

    frame = pl.DataFrame({"annotator": labels.annotator[known], "seconds": seconds[known]})
    medians = frame.group_by("annotator").agg(pl.len().alias("n"), pl.col("seconds").median())
    quick = medians.filter((pl.col("n") >= LEAST) & (pl.col("seconds") < HASTY * usual)).sort("seconds")
    return [(int(row["annotator"]), float(row["seconds"])) for row in quick.iter_rows(named=True)]


def _where(labels: Annotations, rows: np.ndarray, seconds: np.ndarray) -> list[str]:
    return [
        f"{labels.annotators[int(labels.annotator[i])]!r} on {labels.tasks[int(labels.task[i])]!r} ({seconds[i]:g})"
        for i in rows[:SHOWN]
    ]
