"""The records of an export one after another, whatever they are written in: JSON, JSON lines, csv or tsv."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from ..delimiters import delimiter_for, other_delimiter, read_header
from ..formats import BOM, GZIP, Format, check_content, known_suffix
from ..json_stream import json_objects
from ..records import whole_records
from ..source import Inflated, Source, read_start
from .fields import Field, Origin

__all__ = ["Export", "Records", "Sample", "open_export"]


class Sample(NamedTuple):
    """What a tool is recognised by: the fields of the first record (of a csv file, its header)."""

    names: frozenset[str]
    first: Field | None
    is_table: bool

    def has(self, *names: str) -> bool:
        """Whether the first record has all of these fields."""
        return self.names.issuperset(names)


class Records(Protocol):
    """A file as records. header: None where it is JSON."""

    @property
    def source(self) -> Source:
        """The file."""

    @property
    def header(self) -> tuple[str, ...] | None:
        """The columns of a table."""

    def records(self) -> Iterator[Field]:
        """Every record, read as it is asked for."""


class Export(NamedTuple):
    """A file of records. header: the columns of a csv file; None for JSON."""

    source: Source
    header: tuple[str, ...] | None
    delimiter: str

    def records(self) -> Iterator[Field]:
        """Every record, read as it is asked for."""
        path = self.source.path
        if self.header is None:
            for number, line, value in json_objects(self.source):
                yield Field(Origin(path, line, number), value)
            return
        for line, cells in whole_records(self.source, self.delimiter, len(self.header)):
            yield Field(Origin(path, line), dict(zip(self.header, cells, strict=True)))

    def sample(self) -> Sample:
        """The first record."""
        first = next(self.records(), None) if self.header is None else None
        names = self.header or (() if first is None else first.object())
        return Sample(frozenset(names), first, self.header is not None)


def open_export(path: Path, delimiter: str | None = None) -> Export:
    """A file whose first bytes say whether it is JSON: tools name theirs .json, .jsonl or otherwise."""
    start = read_start(path)
    is_zipped = start.startswith(GZIP)
    if is_zipped:
        with Inflated(path) as handle:
            start = handle.read(4096)
    is_json = start.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")
    name = "json" if is_json else "tsv" if known_suffix(path) == "tsv" else "csv"
    check_content(path, name, start)
    source = Source(path, Format(name, is_zipped))
    if is_json:
        return Export(source, None, "")
    mark = delimiter_for(name, delimiter)
    header = read_header(source, mark, sure=True).names
    better = other_delimiter(header, mark) if delimiter is None else None
    if better is not None and len(header) == 1:  # Toloka writes tabs into files of any name
        mark, header = better, read_header(source, better, sure=True).names
    return Export(source, tuple(header), mark)
