"""JSON lines: one object a line, values as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import FormatError
from .source import Source
from .values import series_of

__all__ = ["JsonLinesTable"]

LACKING = object()


class JsonLinesTable:
    """A JSON lines file, read whole."""

    is_text = False
    is_columnar = False
    unit = "line"

    def __init__(self, source: Source):
        self.source = source
        self._lines: list[int] = []
        self._columns: dict[str, list[Any]] = {}
        for line, record in _objects(source):
            self._add(line, record)
        if not self._lines:
            raise FormatError("is empty: there is not one row; get or export it again", source.path)

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path

    @property
    def names(self) -> list[str]:
        """Every field that some row has, in order of first appearance."""
        return list(self._columns)

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some fields as columns; those that a row may not lack are `required`."""
        for name in required:
            self._refuse_lacking(name)
        columns = {name: [None if v is LACKING else v for v in self._columns[name]] for name in names}
        return pl.DataFrame([series_of(name, values) for name, values in columns.items()])

    def where(self, row: int) -> tuple[Path, int | None]:
        """The file and the line of a row."""
        return self.path, self._lines[row] if row < len(self._lines) else None

    def hint(self) -> str | None:
        """Nothing beside the missing column itself."""
        return None

    def _add(self, line: int, record: dict[str, Any]) -> None:
        row = len(self._lines)
        self._lines.append(line)
        for name, value in record.items():
            column = self._columns.setdefault(name, [])
            column.extend([LACKING] * (row - len(column)))
            column.append(value)
        if len(record) < len(self._columns):
            for column in self._columns.values():
                column.extend([LACKING] * (row + 1 - len(column)))

    def _refuse_lacking(self, name: str) -> None:
        row = next((row for row, value in enumerate(self._columns[name]) if value is LACKING), None)
        if row is not None:
            raise FormatError(
                f"the row has no field {name!r}, which others have: add it (null where there is nothing to "
                f"say) or take the row out",
                self.path,
                self._lines[row],
            )


def _objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, raw in enumerate(source.lines(), start=1):
        if not raw.strip():
            continue
        try:
            record = json.loads(raw.decode("utf-8"))
            if rb"\ud" in raw or rb"\uD" in raw:
                json.dumps(record, ensure_ascii=False).encode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8: "
                f"save the file as UTF-8",
                source.path,
                line,
            ) from None
        except UnicodeEncodeError:
            raise FormatError(
                "a text holds half of a surrogate pair (\\ud...), which is no character", source.path, line
            ) from None
        except (ValueError, RecursionError) as error:
            raise FormatError(_fault(raw, error), source.path, line) from None
        if not isinstance(record, dict):
            raise FormatError(f"the row is {_shown(raw)}, not an object {{...}}", source.path, line)
        yield line, record


def _fault(raw: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"the row is nested too deeply: {_shown(raw)}"
    if not isinstance(error, json.JSONDecodeError):  # an integer of thousands of digits
        return f"the row is not JSON that can be read ({error}): {_shown(raw)}"
    at_the_end = error.pos >= len(error.doc.rstrip()) - 1 or "Unterminated" in error.msg
    if at_the_end and not raw.endswith(b"\n"):
        return f"the last row is cut off: {_shown(raw)}; get the file again or take the row out"
    return f"the row is not JSON ({error.msg} at character {error.pos + 1}): {_shown(raw)}"


def _shown(raw: bytes) -> str:
    text = raw.decode("utf-8").strip()
    return text if len(text) <= 60 else text[:57] + "..."
