"""Rows put aside in scratch files, a folder a shard of tasks, to be taken up again shard by shard."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl

__all__ = ["Spill"]


class Spill:
    """Frames divided by shard: whatever the order of the rows, a shard ends up with all rows of its tasks.

    >>> import tempfile
    >>> spill = Spill(Path(tempfile.mkdtemp()))
    >>> spill.add(pl.DataFrame({"task": ["a", "b", "a"]}), np.array([1, 0, 1]))
    >>> spill.take(1)["task"].to_list()
    ['a', 'a']
    """

    def __init__(self, folder: Path):
        self.folder, self._batch = folder, 0

    def add(self, rows: pl.DataFrame, shard: np.ndarray) -> None:
        """Put rows aside, -1 being no shard of ours."""
        order = np.argsort(shard, kind="stable")
        ordered = rows[order]
        present, starts = np.unique(shard[order], return_index=True)
        ends = [*starts[1:], len(order)]
        for number, start, end in zip(present.tolist(), starts.tolist(), ends, strict=True):
            if number >= 0:
                place = self._place(number)
                place.mkdir(parents=True, exist_ok=True)
                ordered.slice(start, end - start).write_ipc(
                    place / f"{self._batch:06d}.arrow", compression="lz4"
                )
        self._batch += 1

    def take(self, shard: int) -> pl.DataFrame | None:
        """All rows of a shard in the order in which they came, and the files are gone; None where there are none."""
        place = self._place(shard)
        if not place.exists():
            return None
        parts = [pl.read_ipc(file) for file in sorted(place.iterdir())]
        shutil.rmtree(place)
        return pl.concat(parts, rechunk=True)

    def _place(self, shard: int) -> Path:
        return self.folder / f"shard-{shard:06d}"
