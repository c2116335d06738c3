"""The comparison of methods as a table of the report: a `Selection`, or the plain data of others."""

from __future__ import annotations

import math
from typing import Any

from ...selection import Selection
from .plain_tables import PlainTable, plain_table

__all__ = ["TAKE", "comparison"]

TAKE = "Take"  # the note that says which method, and why
TITLES = {
    "name": "method", "heldout_log_likelihood": "hidden answer", "se": "s.e.", "behind": "behind the best",
    "behind_se": "s.e. of that", "calibration": "calibration", "weight": "share of the stack",
    "differs": "decides otherwise than the pick", "accuracy": "accuracy", "log_loss": "log-loss",
    "calibration_error": "calibration error", "rmse": "rmse", "mae": "mae", "pearson": "r",
}  # fmt: skip


def comparison(given: Any) -> PlainTable | None:
    """A row a method, the pick marked, and in words which to take, why, and on what that stands.

    >>> from manyhands import select, simulate
    >>> chosen = select(simulate("confusion", n_tasks=60, seed=0).labels, methods=["majority", "wawa"])
    >>> table = comparison(chosen)
    >>> table.columns[:2], len(table.rows), table.notes[0][0]
    (('method', 'hidden answer'), 2, 'Take')
    """
    if not isinstance(given, Selection):
        return plain_table(given, "comparison")
    rows = [row.to_dict() for row in given.methods]
    there = [name for name in TITLES if any(_finite(row.get(name)) for row in rows)]
    cells = tuple(tuple(row[name] if _finite(row[name]) else None for name in there) for row in rows)
    picked = next(place for place, row in enumerate(rows) if row["name"] == given.pick)
    return PlainTable(tuple(TITLES[name] for name in there), cells, _notes(given), picked)


def _finite(value: Any) -> bool:
    return isinstance(value, str) or (value is not None and math.isfinite(value))


def _notes(given: Selection) -> tuple[tuple[str, str], ...]:
    what = "the task's features alone" if given.by == "features" else "the task's other answers"
    how = (
        f"{given.votes} answers were hidden from every method, each once, and predicted from {what}. Hidden answer: the "
        f"mean of ln p(answer), higher is better. No truth was used for it."
    )
    return ((TAKE, given.why), ("How", how), *(("Note", note) for note in given.notes))
