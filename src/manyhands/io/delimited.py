"""csv and tsv: all values as text, read by polars, and by the careful pass where something is odd."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from .delimiters import Header, delimiter_for, read_header, wrong_delimiter
from .records import line_of, whole_records
from .source import Source
from .survey import Survey, survey

__all__ = ["DelimitedTable"]

BATCH = 100_000


class DelimitedTable:
    """A csv or tsv file whose header was read."""

    is_text = True
    is_columnar = False
    unit = "line"

    def __init__(self, source: Source, delimiter: str | None = None):
        self.source = source
        self.delimiter = delimiter_for(source.format.name, delimiter)
        self.header: Header = read_header(source, self.delimiter, sure=delimiter is not None)

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path

    @property
    def names(self) -> list[str]:
        """The columns."""
        return self.header.names

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some columns as text; an empty field is null."""
        found = survey(self.source, self.delimiter, len(self.names))
        quick = None if found is None else self._quick(names, found)
        return self._careful(names) if quick is None else quick

    def where(self, row: int) -> tuple[Path, int | None]:
        """The file and the line of a row."""
        return self.path, line_of(self.source, self.delimiter, row)

    def hint(self) -> str | None:
        """What may be wrong where a column is missing."""
        better = self.header.better
        return None if better is None else wrong_delimiter(self.names, better)

    def _quick(self, names: Sequence[str], found: Survey) -> pl.DataFrame | None:
        """By polars; None where its answer cannot be trusted."""
        places = sorted(self.names.index(name) for name in dict.fromkeys(names))
        try:
            frame = pl.read_csv(
                self.source.path if self.source.content is None else self.source.content,
                columns=places, infer_schema=False, separator=self.delimiter,
                quote_char='"' if found.quoted else None, glob=False,
            )  # fmt: skip
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            return None
        if frame.height < found.rows:
            return None
        frame.columns = [self.names[place] for place in places]
        return frame.head(found.rows).select(names)  # blank lines at the end are rows of nulls

    def _careful(self, names: Sequence[str]) -> pl.DataFrame:
        places = [self.names.index(name) for name in names]
        rows = (fields for _, fields in whole_records(self.source, self.delimiter, len(self.names)))
        pieces = [pl.DataFrame(schema=dict.fromkeys(names, pl.String))]
        while batch := list(islice(rows, BATCH)):
            columns = {
                name: [row[at] or None for row in batch] for name, at in zip(names, places, strict=True)
            }
            pieces.append(pl.DataFrame(columns, schema=dict.fromkeys(names, pl.String)))
        return pl.concat(pieces)
