"""A table on the disk, whatever its format: its columns, some of them as a frame, the line of a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import FileError, ParameterError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Table", "open_table"]


class Table(Protocol):
    """What every format gives."""

    @property
    def path(self) -> Path:
        """The file or folder."""

    @property
    def names(self) -> list[str]:
        """The columns."""

    @property
    def is_text(self) -> bool:
        """Whether all values are text, because the format has no types."""

    @property
    def is_columnar(self) -> bool:
        """Whether reading the columns one by one costs no more than reading them at once."""

    @property
    def unit(self) -> str:
        """What `where` counts: a line, or a record."""

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some columns; those whose every row must have a value of its own are `required`."""

    def where(self, row: int) -> tuple[Path, int | None]:
        """The file of a row, and its line where the format has lines."""

    def hint(self) -> str | None:
        """What may be wrong where a column is missing."""


def open_table(path: str | Path, format: str | None = None, delimiter: str | None = None) -> Table:
    """The table in a file, or in a folder of part files."""
    from .parts import PartsTable, part_files

    place = Path(path)
    if not str(path) or "\0" in str(path):
        raise FileError("is no file name", path=repr(path))
    if place.is_dir():
        return PartsTable(place, [open_file(file, format, delimiter) for file in part_files(place, format)])
    return open_file(place, format, delimiter)


def open_file(path: Path, format: str | None, delimiter: str | None) -> Table:
    """The table in one file."""
    from .delimited import DelimitedTable
    from .jsonl import JsonLinesTable
    from .parquet import ParquetTable
    from .source import open_source

    source = open_source(path, format)
    if source.format.is_text:
        return DelimitedTable(source, delimiter)
    if delimiter is not None:
        raise ParameterError(f"delimiter={delimiter!r} goes with csv, but {path} is {source.format.name}")
    return ParquetTable(path) if source.format.name == "parquet" else JsonLinesTable(source)
