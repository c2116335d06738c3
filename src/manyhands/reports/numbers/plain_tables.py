"""Tables that others made, as plain data: the comparison of methods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import ParameterError
from .words import name_of

__all__ = ["PlainTable", "plain_table"]

MOST = 200
ROWS = ("methods", "rows")


@dataclass(frozen=True)
class PlainTable:
    """columns: titles; rows: text, or numbers as they are; notes: what was said beside the rows.

    picked: place of the row that was chosen, where one was. left_out: rows beyond the first 200.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]
    notes: tuple[tuple[str, str], ...] = ()
    picked: int | None = None
    left_out: int = 0

    def numeric(self, column: int) -> bool:
        """Whether a column holds figures."""
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)


def plain_table(data: Any, name: str) -> PlainTable | None:
    """A list of dictionaries, a frame, or a dictionary with such a list (as `--json` prints it).

    >>> table = plain_table({"methods": [{"name": "glad", "se": 0.1}, {"name": "mace"}], "pick": "mace"}, "x")
    >>> table.columns, table.rows, table.picked
    (('name', 'se'), (('glad', 0.1), ('mace', None)), 1)
    """
    if data is None:
        return None
    data = data.to_dict() if hasattr(data, "to_dict") and not hasattr(data, "columns") else data
    notes: tuple[tuple[str, str], ...] = ()
    pick = None
    if isinstance(data, Mapping):
        key = next((key for key in ROWS if isinstance(data.get(key), Sequence)), None)
        if key is None:
            raise ParameterError(
                f"{name}= has the keys {', '.join(map(str, data))}: give a list of rows, or one of {', '.join(ROWS)}"
            )
        pick = data.get("pick")
        notes = tuple(
            (_title(k), name_of(v)) for k, v in data.items() if k != key and isinstance(v, (str, int, float))
        )
        data = data[key]
    rows = _rows(data, name)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = tuple(tuple(_cell(row.get(key)) for key in columns) for row in rows[:MOST])
    picked = next(
        (
            n
            for n, row in enumerate(rows)
            if pick is not None and pick in (row.get("name"), row.get("method"))
        ),
        None,
    )
    return PlainTable(tuple(map(_title, columns)), cells, notes, picked, max(len(rows) - MOST, 0))


def _rows(data: Any, name: str) -> list[Mapping[str, Any]]:
    if hasattr(data, "columns"):
        import narwhals as nw

        return list(nw.from_native(data, eager_only=True).iter_rows(named=True))
    rows = [row.to_dict() if hasattr(row, "to_dict") else row for row in data]
    wrong = next((row for row in rows if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise ParameterError(f"{name}= holds a {type(wrong).__name__}: give one dictionary a row")
    return rows


def _cell(value: Any) -> str | float | int | None:
    if hasattr(value, "item"):
        value = value.item()
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, (int, float)) else name_of(value)


def _title(key: Any) -> str:
    return str(key).replace("_", " ")
