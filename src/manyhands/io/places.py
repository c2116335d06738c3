"""Errors of the table of labels, said again with the file and the line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..errors import LabelError
from .tables import Table

__all__ = ["located"]

# "row 3" as our own messages say it, not as a label in quotes may say it.
_ROW = re.compile(r"(?<![\w'\"])row (\d+)\b(?!['\"])")


@contextmanager
def located(table: Table, rows: np.ndarray | None = None) -> Iterator[None]:
    """Turn the row of a LabelError into the line of the file.

    rows: which row of the file each row of the labels comes from; one to one by default.
    """
    try:
        yield
    except LabelError as error:
        raise _moved(error, table, rows) from None


def _moved(error: LabelError, table: Table, rows: np.ndarray | None) -> LabelError:
    message = str(error)
    mentioned = _ROW.search(message)
    row = error.row if error.row is not None else int(mentioned[1]) if mentioned else None
    if row is None:
        return type(error)(f"{table.path}: {message}", None)
    row = _origin(row, rows)
    path, line = table.where(row)

    def place(found: re.Match[str]) -> str:
        other, its_line = table.where(_origin(int(found[1]), rows))
        if its_line is None:
            return found[0]
        place = f"{table.unit} {its_line}"
        return place if other == path else f"{place} of {other.name}"

    start = f"{path}: " if line is None or table.unit != "line" else f"{path}:{line}: "
    return type(error)(start + _ROW.sub(place, message), row)


def _origin(row: int, rows: np.ndarray | None) -> int:
    return row if rows is None or row >= len(rows) else int(rows[row])
