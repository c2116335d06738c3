"""Pairs of annotators who agree more than their accuracy explains."""

from __future__ import annotations

from dataclasses import dataclass

from ...results import COPYING_KINDS, Result
from .words import name_of

__all__ = ["Alike", "Pair", "alike"]

FEWEST = 10  # units that a pair must share
ALARMS = 0.05
MOST = 50


@dataclass(frozen=True)
class Pair:
    """Two who agree too well. expected: how often they would say the same by what each knows of the truth.

    copied: the share of one's labels that are the other's, with its 95% interval.
    """

    one: str
    two: str
    shared: int
    same: int
    expected: float
    copied: float
    low: float
    high: float


@dataclass(frozen=True)
class Alike:
    """tested: pairs that share enough labels to say; left_out: suspicious ones beyond the first."""

    tested: int
    fewest: int
    pairs: tuple[Pair, ...]
    left_out: int


def alike(result: Result, seed: int = 0) -> Alike | None:
    """Those of `Result.copying` with q <= .05; None where no pair shares enough.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("copying", n_tasks=300, n_annotators=8, n_classes=4, redundancy=8, seed=0)
    >>> found = alike(DawidSkene(shared=10.0).fit(crowd.labels).result_)
    >>> found.tested, found.pairs[0].one, found.pairs[0].two
    (28, 'a3', 'a7')
    """
    if result.labels.kind not in COPYING_KINDS or len(result.classes) < 2:
        return None
    table = result.copying(min_shared=FEWEST, seed=seed)
    found = table.filter(table["q"] <= ALARMS)
    pairs = tuple(
        Pair(name_of(one), name_of(two), *figures)
        for one, two, *figures in found.drop("q").head(MOST).iter_rows()
    )
    return Alike(len(table), FEWEST, pairs, max(len(found) - MOST, 0)) if len(table) else None
