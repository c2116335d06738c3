"""Annotators who became better or worse, where a column says when the answers were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...annotations.moments import moment_column
from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...results import Result

__all__ = ["drifting_annotators"]

ALARMS = 0.05  # the share of those named who may not have changed


def drifting_annotators(result: Result) -> list[Oddity]:
    """What `Result.drift` finds."""
    if moment_column(result.labels) is None:
        return []
    table = result.drift()
    found = table.filter(table["q"] <= ALARMS)
    found = found[np.argsort(found["q"].to_numpy(), kind="stable")]
    form = ".3g" if result.labels.kind == "number" else ".0%"
    examples = (
        f"{row['annotator']!r} ({row['early']:{form}} early, {row['late']:{form}} late, of {row['n']} answers)"
        for row in found.head(SHOWN).iter_rows(named=True)
    )
    return odd(
        "drift", "annotators who changed over time", len(found), examples,
        "look at what they said late: they may have tired, or learnt; leave out the bad stretch, or ask them",
    )  # fmt: skip
