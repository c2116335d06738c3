"""A value inside a record, which knows where it stands: every fault names file, line, record and field."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import FormatError

__all__ = ["Field", "Origin"]

WORDS = {dict: "an object {...}", list: "a list [...]", str: "text", int: "a whole number"}


class Origin(NamedTuple):
    """The record that a field belongs to; number: None where every record has a line of its own."""

    path: Path
    line: int
    number: int | None = None


class Field:
    """A value and the way to it.

    >>> record = Field(Origin(Path("export.json"), 1, 7), {"annotations": [{"completed_by": []}]})
    >>> [annotation] = record["annotations"].each()
    >>> annotation["completed_by"].name()
    Traceback (most recent call last):
        ...
    manyhands.errors.FormatError: export.json:1: record 7, field annotations[0].completed_by: [] is not a name: text or a whole number
    """

    __slots__ = ("origin", "value", "way")

    def __init__(self, origin: Origin, value: Any, way: str = ""):
        self.origin, self.value, self.way = origin, value, way

    def __getitem__(self, key: str) -> Field:
        """The field of an object; its value is None where the object has no such field."""
        return Field(self.origin, self.object().get(key), f"{self.way}.{key}" if self.way else key)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def is_null(self) -> bool:
        """Whether nothing is said: no such field, null or blank text."""
        return self.value is None or (isinstance(self.value, str) and not self.value.strip())

    def object(self) -> dict[str, Any]:
        """The value, which must be an object."""
        return self._of(dict)  # type: ignore[no-any-return]

    def each(self) -> Iterator[Field]:
        """The entries of a list; null is an empty one."""
        if self.value is None:
            return
        for place, entry in enumerate(self._of(list)):
            yield Field(self.origin, entry, f"{self.way}[{place}]")

    def text(self) -> str:
        """The value, which must be text."""
        return self._of(str)  # type: ignore[no-any-return]

    def flag(self) -> bool:
        """Whether the value is true; in a csv file, as text says it."""
        if isinstance(self.value, str) and self.value.strip().lower() in _FLAGS:
            return _FLAGS[self.value.strip().lower()]
        if self.value is None or isinstance(self.value, bool):
            return bool(self.value)
        raise self.fault(f"{self.shown()} is neither true nor false")

    def name(self) -> str:
        """An id as text; it must be text that is not blank, or a whole number."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (str, int)) or self.is_null():
            raise self.fault(f"{self.shown()} is not a name: text or a whole number")
        return value if isinstance(value, str) else str(value)

    def whole(self) -> int:
        """The value, which must be a whole number."""
        if isinstance(self.value, bool):
            raise self.fault(f"{self.shown()} is not a whole number")
        return self._of(int)  # type: ignore[no-any-return]

    def number(self) -> float:
        """The value, which must be a finite number, or text that is one."""
        value = self.value
        try:
            found = math.nan if isinstance(value, bool) or value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise self.fault(f"{self.shown()} is not a finite number")
        return found

    def parsed(self) -> Field:
        """The JSON that stands in a text, such as a cell of a csv file."""
        try:
            return Field(self.origin, json.loads(self.text()), self.way)
        except (ValueError, RecursionError):
            raise self.fault(f"{self.shown()} is not JSON") from None

    def fault(self, message: str) -> FormatError:
        """An error that names this place."""
        where = [] if self.origin.number is None else [f"record {self.origin.number}"]
        where += [f"field {self.way}"] if self.way else []
        return FormatError(
            ", ".join(where) + ": " * bool(where) + message, self.origin.path, self.origin.line
        )

    def shown(self) -> str:
        """The value as an error shows it."""
        if self.value is None:
            return "nothing"
        text = repr(self.value) if not isinstance(self.value, dict) else f"an object with {list(self.value)}"
        return text if len(text) <= 60 else text[:57] + "..."

    def _of(self, wanted: type) -> Any:
        if not isinstance(self.value, wanted):
            raise self.fault(f"{self.shown()} is not {WORDS[wanted]}")
        return self.value


_FLAGS = {"true": True, "false": False, "1": True, "0": False, "t": True, "f": False, "": False}
