"""CoNLL columns as sentences: a token a line, a blank line after each sentence, lines of remarks before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...annotations.scheme import TAG
from ...errors import FormatError
from ..delimiters import delimiter_for
from ..formats import GZIP, Format, check_content
from ..records import text_lines
from ..source import Inflated, Source, read_start
from .fields import Field, Origin

__all__ = ["MISSING", "NO_SENTENCE", "REMARK", "ConllFile", "Sentence", "open_conll"]

REMARK = re.compile(r"# +([\w.]+) *[=:] *(.*)", re.DOTALL)  # of a sentence or of the file: "# task = t1"
COLUMNS = ("columns", "global.columns")  # the second is CoNLL-U Plus's
MISSING = ("", "?", "_")  # no tag
NO_SENTENCE = "-DOCSTART-"
_SPACES = re.compile(r"[ \t]+")


class Sentence(NamedTuple):
    """rows: the line and the cells of every token. columns: what the file calls them; remarks: all others."""

    number: int
    rows: list[tuple[int, list[str]]]
    columns: tuple[str, ...]
    remarks: dict[str, str]


class ConllFile(NamedTuple):
    """A file of sentences. delimiter: None where lines are split at tabs if they have any, else at spaces."""

    source: Source
    delimiter: str | None = None
    header: tuple[str, ...] = ()

    def records(self) -> Iterator[Field]:
        """Every sentence, at its first line."""
        for sentence in _Lines(self).sentences():
            yield Field(Origin(self.source.path, sentence.rows[0][0]), sentence)


def open_conll(path: Path, delimiter: str | None = None) -> ConllFile:
    """A file of which the first bytes are text."""
    start = read_start(path)
    zipped = start.startswith(GZIP)
    if zipped:
        with Inflated(path) as handle:
            start = handle.read(4096)
    check_content(path, "conll", start)
    mark = None if delimiter is None else delimiter_for("conll", delimiter)
    return ConllFile(Source(path, Format("conll", zipped)), mark)


class _Lines:
    """What is known while the lines go by."""

    def __init__(self, file: ConllFile):
        self._source, self._mark = file.source, file.delimiter
        self._columns: tuple[str, ...] = ()
        self._width: int | None = None
        self._number = 0
        self._begin()

    def sentences(self) -> Iterator[Sentence]:
        for line, raw in enumerate(text_lines(self._source), start=1):
            text = raw.rstrip("\r\n")
            if not text.strip(" \t") or text.startswith(NO_SENTENCE):
                yield from self._ended()
            elif not self._is_remark(text):
                self._take(line, text)
        yield from self._ended()

    def _begin(self) -> None:
        self._rows: list[tuple[int, list[str]]] = []
        self._remarks: dict[str, str] = {}

    def _ended(self) -> Iterator[Sentence]:
        if self._rows:
            self._number += 1
            yield Sentence(self._number, self._rows, self._columns, self._remarks)
            self._begin()

    def _is_remark(self, text: str) -> bool:
        """A line about what follows; a token may be "#" too, and has as many columns as others."""
        if not text.startswith("#") or self._rows:
            return False
        found = REMARK.fullmatch(text)
        if found is not None and found[1].lower() in COLUMNS:
            self._columns = self._names(found[2])
            self._width = len(self._columns)
        elif found is not None:
            self._remarks[found[1].lower()] = found[2].strip(" \t")
        return found is not None or not self._is_token(self._cells(text))

    def _names(self, text: str) -> tuple[str, ...]:
        self._width = None  # of a file that was joined to this one
        if self._mark is None and "\t" in text:
            self._mark = "\t"
        return tuple(name.strip() for name in self._cells(text))

    def _is_token(self, cells: list[str]) -> bool:
        if self._width is not None:
            return len(cells) == self._width
        return len(cells) > 1 and all(_is_tag(cell) for cell in cells[1:])

    def _take(self, line: int, text: str) -> None:
        if self._mark is None and self._width is None and "\t" in text:
            self._mark = "\t"
        cells = self._cells(text)
        self._width = self._width or len(cells)
        if len(cells) != self._width:
            named = "the file names" if self._columns else "the lines before have"
            raise FormatError(
                f"{_count(len(cells))} where {named} {self._width}: give each token a tag of every annotator, ? where "
                f"one said nothing, and leave a blank line between sentences",
                self._source.path,
                line,
            )
        if not cells[0].strip():
            raise FormatError("there is no token in the first column", self._source.path, line)
        self._rows.append((line, cells))

    def _cells(self, text: str) -> list[str]:
        if self._width == 1:
            return [text.strip(" \t")]
        return text.split(self._mark) if self._mark is not None else _SPACES.split(text.strip(" \t"))


def _is_tag(cell: str) -> bool:
    return cell.strip() in MISSING or TAG.fullmatch(cell.strip()) is not None


def _count(n: int) -> str:
    return f"{n} column{'s' if n != 1 else ''}"
