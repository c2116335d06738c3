"""Records written one by one: an array of JSON, JSON lines, or the rows of a table."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from ..frames import to_json

__all__ = ["as_array", "as_lines", "as_rows"]


def as_array(records: Iterable[Mapping[str, Any]], handle: IO[str]) -> None:
    """An array with a record a line."""
    mark = "[\n"
    for record in records:
        handle.write(mark + to_json(record))
        mark = ",\n"
    handle.write("\n]\n" if mark == ",\n" else "[]\n")


def as_lines(records: Iterable[Mapping[str, Any]], handle: IO[str]) -> None:
    """JSON lines."""
    for record in records:
        handle.write(to_json(record) + "\n")


def as_rows(
    records: Iterable[Mapping[str, Any]], header: Sequence[str], handle: IO[str], delimiter: str = ","
) -> None:
    """A table; what a record lacks is an empty cell."""
    writer = csv.DictWriter(handle, header, restval="", lineterminator="\n", delimiter=delimiter)
    writer.writeheader()
    for record in records:
        writer.writerow({name: _cell(value) for name, value in record.items()})


def _cell(value: Any) -> Any:
    return to_json(value) if isinstance(value, (dict, list)) else value
