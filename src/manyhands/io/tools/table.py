"""The export of a tool as a table of labels: a task, an annotator and a label in every row."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
import polars as pl

from ...errors import FormatError, LabelWarning
from ..request import Request
from ..values import series_of
from .fields import Field
from .items import ALL_SHAPES, Answer, Content, Empty, Wanted
from .records import Records
from .tool import Tool

__all__ = ["ExportTable"]


class ExportTable:
    """Read whole, a record at a time: what stays is a row an answer, and each name once.

    truths: what the tool holds for right. contents: what tasks show, if that was asked for.
    """

    is_columnar = False

    def __init__(self, path: Path, tool: Tool, exports: Sequence[Records], wanted: Wanted, kind: str | None):
        self.path, self.tool, self.wanted = path, tool, wanted
        self.contents: dict[str, dict[str, Any]] = {}
        self._names: dict[str, str] = {}
        self._rows: tuple[list[str], list[str], list[Any]] = ([], [], [])
        self._seconds, self._places, self._files = array("d"), array("q"), array("I")
        self._truths: dict[str, Answer] = {}
        self._shape: str | None = None
        self._question: str | None = None
        self._is_several = False
        for number, export in enumerate(exports):
            for item in tool.read(export.records(), wanted):
                self._take(item, number)
        self._paths = [export.source.path for export in exports]
        if not self._rows[0] and not self.contents:
            raise FormatError(
                f"holds no answer as {tool.name} exports them{self._left_out()}; was it exported with its labels, and "
                f"is it of this tool?",
                path,
            )
        self.kind = kind or self._found_kind()
        self.unit = "line" if all(export.header is not None for export in exports) else "record"
        self._labels = [self._label(value, row) for row, value in enumerate(self._rows[2])]

    @property
    def names(self) -> list[str]:
        """The columns; seconds where the tool knows them."""
        timed = np.isfinite(np.frombuffer(self._seconds)).any()
        return ["task", "annotator", "label", *(["seconds"] if timed else [])]

    @property
    def is_text(self) -> bool:
        """Whether all labels are text."""
        return self.kind not in ("ordinal", "number") or self._shape not in ("rating", "number")

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some columns."""
        return pl.DataFrame([self._column(name) for name in names])

    def where(self, row: int) -> tuple[Path, int | None]:
        """The file of a row, and its record (of a csv file, its line)."""
        return (
            (self._paths[self._files[row]], self._places[row])
            if row < len(self._places)
            else (self.path, None)
        )

    def hint(self) -> str | None:
        """Nothing: the columns are always there."""
        return None

    def request(self, request: Request) -> Request:
        """What was asked for, of columns that are named already; an answer without a label is 'cannot say'."""
        return request._replace(kind=self.kind, columns=None, missing=request.missing or "abstain")

    def truths(self, tasks: Iterable[Any] | None = None) -> dict[str, Any]:
        """The known truths of these tasks, or of all."""
        known = ((task, self._truths.get(task)) for task in (self._truths if tasks is None else tasks))
        found = {task: self._label(a.said.value, None) for task, a in known if a is not None}
        return {task: label for task, label in found.items() if label is not None}

    def warn(self) -> None:
        """Say what was left out or changed."""
        if self.wanted.notes:
            warn(f"{self.path}{self._left_out()}", LabelWarning, stacklevel=3)

    def _left_out(self) -> str:
        notes = "; ".join(f"{count} {what}" for what, count in self.wanted.notes.items())
        return f": {notes}" if notes else ""

    def _take(self, item: Answer | Content, file: int) -> None:
        if isinstance(item, Content):
            self.contents.setdefault(item.task, item.data)
            return
        if self.wanted.label is not None and item.said.question not in (None, self.wanted.label):
            return
        self._check(item)
        if item.annotator is None:
            self._take_truth(item)
            return
        for column, value in zip(self._rows, (item.task, item.annotator, self._stored(item)), strict=True):
            column.append(self._names.setdefault(value, value) if isinstance(value, str) else value)
        self._seconds.append(np.nan if item.seconds is None else item.seconds)
        origin = item.place.origin
        self._places.append(origin.line if origin.number is None else origin.number)
        self._files.append(file)

    def _check(self, item: Answer) -> None:
        """One file, one question, one shape of answer."""
        said = item.said
        if said.question is not None and self._question not in (None, said.question):
            raise item.place.fault(
                f"the file holds several questions, such as {self._question!r} and {said.question!r}: choose one with "
                f"columns='label={self._question}' (--columns 'label={self._question}')"
            )
        if said.shape is not None and self._shape not in (None, said.shape):
            raise item.place.fault(f"the answer is {said.shape}, where those before it are {self._shape}")
        self._question, self._shape = said.question or self._question, said.shape or self._shape

    def _stored(self, item: Answer) -> Any:
        value = item.said.value
        if item.said.shape == "choices" and isinstance(value, list):
            self._is_several |= len(value) > 1
            return value[0] if len(value) == 1 else tuple(value) or Empty()
        return value

    def _take_truth(self, item: Answer) -> None:
        before = self._truths.setdefault(item.task, item)
        if before.said.value != item.said.value:
            first = Field(before.place.origin, None)
            raise item.place.fault(
                f"task {item.task!r} has the truth {item.said.value!r} here and {before.said.value!r} in "
                f"{'record' if first.origin.number else 'line'} {first.origin.number or first.origin.line}: keep one"
            )

    def _found_kind(self) -> str:
        return "set" if self._is_several else ALL_SHAPES[self._shape or "class"]

    def _label(self, value: Any, row: int | None) -> Any:
        """A label of the table's kind, from what was said."""
        if value is None:
            return None
        if isinstance(value, Empty):
            return [] if self.kind == "set" else ["O"] * value.tokens or None if self.kind == "tags" else None
        if self.kind == "set":
            return list(value) if isinstance(value, (tuple, list)) else [value]
        if self._shape == "choices" and isinstance(value, (tuple, list)):
            return self._only(value, row)
        return value

    def _only(self, value: Sequence[str], row: int | None) -> str | None:
        if len(value) > 1:
            path, place = self.where(row) if row is not None else (self.path, None)
            at = "" if place is None else f"{self.unit} {place}: "
            raise FormatError(f"{at}{list(value)!r} are several labels: say kind='set' (--kind set)", path)
        return value[0] if value else None

    def _column(self, name: str) -> pl.Series:
        if name == "seconds":
            return pl.Series(name, np.frombuffer(self._seconds))
        at = ("task", "annotator", "label").index(name)
        if name != "label":
            return pl.Series(name, self._rows[at], dtype=pl.String)
        return series_of(name, self._labels)
