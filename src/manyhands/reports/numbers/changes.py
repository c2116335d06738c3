"""Annotators who changed over time."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ...annotations.moments import moment_column
from ...results import Result
from ...results.drift import FEWEST
from .words import name_of

__all__ = ["Change", "Changes", "changes"]

ALARMS = 0.05
MOST = 50


@dataclass(frozen=True)
class Change:
    """Accuracy (of numbers: bias) early and late, and the change beyond what is usual, with its 95% interval."""

    name: str
    n: int
    early: float
    late: float
    change: float
    low: float
    high: float


@dataclass(frozen=True)
class Changes:
    """when: the column that says so; tested: annotators with labels enough to say; few: those without.

    fewest: how many are enough; left_out: who changed beyond the first.
    """

    when: str
    tested: int
    few: int
    fewest: int
    changed: tuple[Change, ...]
    left_out: int


def changes(result: Result, when: str | None = None) -> Changes | None:
    """Those of `Result.drift` with q <= .05, the clearest first; None where no column says when.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_arrays([0, 1], [0, 0], [0, 1], columns={"timestamp": [1.0, 2.0]})
    >>> found = changes(MajorityVote().fit(labels).result_)
    >>> found.when, found.tested, found.few
    ('timestamp', 0, 1)
    """
    when = moment_column(result.labels) if when is None else when
    if when is None:
        return None
    table = result.drift(when).filter(pl.col("n") > 0)
    found = table.filter(pl.col("q") <= ALARMS).sort("q", maintain_order=True)
    rows = tuple(Change(name_of(name), *figures) for name, *figures in found.drop("q").head(MOST).iter_rows())
    few = table["q"].null_count()
    return Changes(when, len(table) - few, few, FEWEST, rows, max(len(found) - MOST, 0))
