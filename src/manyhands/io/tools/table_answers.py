"""Answers in the columns of a table, which the tools of crowds write."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from .fields import Field
from .items import Said, Wanted

__all__ = ["seconds_between", "text_label", "the_column"]


def the_column(record: Field, wanted: Wanted, candidates: Sequence[str]) -> str:
    """The column of the answers: the one given, or the only candidate."""
    row = record.object()
    if wanted.label is not None:
        ends = [name for name in candidates if name.split(":")[-1].split(".", 1)[-1] == wanted.label]
        return ends[0] if wanted.label not in row and ends else wanted.column(row, "label", "", record)
    if len(candidates) != 1:
        shown = ", ".join(map(repr, list(candidates or row)[:40]))
        raise record.fault(
            f"which column holds the answers? There are {shown}: name it with columns='label=NAME' "
            f"(--columns label=NAME)"
        )
    return candidates[0]


def text_label(cell: Field, separator: str | None = None) -> Said:
    """What a cell says: one class, several as a JSON list or between separators; nothing, if it is blank."""
    if cell.is_null():
        return Said(None)
    text = cell.text()
    if text.lstrip().startswith("[") and text.rstrip().endswith("]"):
        return Said([one.name() for one in cell.parsed().each()], "choices")
    if separator is not None and separator in text:
        return Said([part for part in text.split(separator) if part.strip()], "choices")
    return Said([text], "choices")


def seconds_between(start: Field, end: Field) -> float | None:
    """The time between two moments as ISO 8601 has them; None where either is not known."""
    if start.is_null() or end.is_null():
        return None
    try:
        moments = [datetime.fromisoformat(field.text().strip()) for field in (start, end)]
        return (moments[1] - moments[0]).total_seconds()
    except (ValueError, TypeError, OverflowError):  # another form, or only one of them with a zone
        return None
