"""Pairs of annotators who say the same more often than two who do not know of each other would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...results import Result

__all__ = ["copying_pairs"]

ALARMS = 0.05  # the share of the pairs named that may be innocent


def copying_pairs(result: Result, seed: int = 0) -> list[Oddity]:
    """What `Result.copying` finds."""
    from ...results import COPYING_KINDS

    if result.labels.kind not in COPYING_KINDS:
        return []
    pairs = result.copying(seed=seed)
    found = pairs.filter(pairs["q"] <= ALARMS)
    examples = (
        f"{row['one']!r} and {row['two']!r} ({row['same']} of {row['shared']} alike, "
        f"{row['expected']:.0f} expected)"
        for row in found.head(SHOWN).iter_rows(named=True)
    )
    return odd(
        "copying", "pairs of annotators who agree suspiciously often", len(found), examples,
        "one may copy, or one person may have two accounts: their agreement counts as one voice; keep one of them",
    )  # fmt: skip
