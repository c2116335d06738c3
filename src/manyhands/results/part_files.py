"""Part files that come one by one, and get their names together."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import FileError
from ..io.atomic import sync_file, sync_folder
from ..processes import gathered, rank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PartFiles"]

DONE = "_SUCCESS"


class PartFiles:
    """part-PROCESS-NUMBER.parquet in a folder, from one process or several that all go the same way.

    >>> import polars as pl
    >>> folder = tempfile.mkdtemp()
    >>> with PartFiles(folder) as files:
    ...     files.add(pl.DataFrame({"task": [1]}))
    ...     _ = files.finish()
    >>> sorted(os.listdir(folder))
    ['_SUCCESS', 'part-00000-000000.parquet']
    """

    def __init__(self, folder: str | Path):
        self.folder, self.names = Path(folder), list[str]()

    def __enter__(self) -> Self:
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError("is a file; part files want a folder: give another name", self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._staging = Path(tempfile.mkdtemp(prefix=".tmp-", dir=self.folder))
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", self.folder) from None
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)

    def add(self, frame: pl.DataFrame) -> None:
        """Write the next part aside."""
        name = f"part-{rank():05d}-{len(self.names):06d}.parquet"
        frame.write_parquet(self._staging / name)
        sync_file(self._staging / name)
        self.names.append(name)

    def finish(self, table: Any = None, path: str | Path | None = None) -> list[str]:
        """Give all parts their names, those of all processes; and write a table beside them, as process 0 alone."""
        from ..io.frames import write_frame

        gathered("whole")
        if rank() == 0:
            for old in [self.folder / DONE, *self.folder.glob("part-*.parquet")]:
                old.unlink(missing_ok=True)
        gathered("cleared")
        for name in self.names:
            os.replace(self._staging / name, self.folder / name)
        sync_folder(self.folder)
        named = [name for names in gathered(self.names) for name in names]
        if rank() == 0:
            if path is not None:
                write_frame(table, path)
            (self.folder / DONE).touch()
        gathered("named")
        return named
