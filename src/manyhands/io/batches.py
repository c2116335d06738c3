"""A table read some rows at a time, so that it may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from .parquet import ParquetTable
from .parts import PartsTable
from .tables import Table

__all__ = ["batches", "files_of", "guessed_rows"]

TEXT_ROW = 12  # bytes: no row of text with three columns is much shorter


def files_of(table: Table) -> list[Table]:
    """The files of a table, each a table."""
    return list(table.parts) if isinstance(table, PartsTable) else [table]


def batches(table: Table, columns: Sequence[str], rows: int) -> Iterator[tuple[Table, int, pl.DataFrame]]:
    """Frames of at most so many rows, each with its file and the place of its first row in it.

    Parquet is read row group by row group; files of text are read whole, so that these are to be no larger
    than a batch.
    """
    for file in files_of(table):
        if not isinstance(file, ParquetTable):
            frame = file.frame(columns, required=columns)
            yield from ((file, start, frame.slice(start, rows)) for start in range(0, frame.height, rows))
            continue
        for start in range(0, _height(file.path), rows):
            yield file, start, file.rows(columns, start, rows)


def guessed_rows(table: Table) -> int:
    """How many rows there are, or more."""
    return sum(
        _height(file.path) if isinstance(file, ParquetTable) else file.path.stat().st_size // TEXT_ROW + 1
        for file in files_of(table)
    )


def _height(path: Path) -> int:
    return int(pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len()).collect().item())
