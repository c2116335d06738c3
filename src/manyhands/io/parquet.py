"""Parquet: typed columns, of which only those asked for are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ..errors import FormatError

__all__ = ["ParquetTable"]


class ParquetTable:
    """A parquet file whose schema was read."""

    is_text = False
    unit = "line"
    is_columnar = True

    def __init__(self, path: Path):
        self.path = path
        with open(path, "rb") as handle:
            handle.seek(-4, 2)
            whole = handle.read() == b"PAR1"
        if not whole:
            raise FormatError("the parquet file is cut off: it does not end in PAR1; get it again", path)
        try:
            self.names = list(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _damaged(path, error) from None

    def frame(self, names: Sequence[str], required: Sequence[str] = ()) -> pl.DataFrame:
        """Some columns, in their types."""
        try:
            return pl.read_parquet(self.path, columns=list(names), glob=False, hive_partitioning=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _damaged(self.path, error) from None

    def rows(self, names: Sequence[str], start: int, count: int) -> pl.DataFrame:
        """Some columns of some rows; only the row groups that hold them are read."""
        try:
            scan = pl.scan_parquet(
                self.path, glob=False, hive_partitioning=False, cache=False, low_memory=True
            )
            return scan.select(list(names)).slice(start, count).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise _damaged(self.path, error) from None

    def where(self, row: int) -> tuple[Path, int | None]:
        """The file; parquet has no lines."""
        return self.path, None

    def hint(self) -> str | None:
        """Nothing beside the missing column itself."""
        return None


def _damaged(path: Path, error: BaseException) -> FormatError:
    reason = str(error).split("\n")[0][:200]
    return FormatError(f"the parquet file is damaged ({reason}); get it again", path)
