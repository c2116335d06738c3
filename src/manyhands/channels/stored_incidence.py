"""An incidence that lies in a file and is read when it is summed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import torch
from torch import Tensor

from .incidence import CellVotes, Incidence

__all__ = ["StoredIncidence"]


class StoredIncidence(Incidence):
    """The two sums of an `Incidence`, of which only the half that is summed over is in memory.

    The file has 8 bytes a vote, and 4 a unit and a cell.

    >>> import tempfile
    >>> from manyhands.channels import Votes
    >>> votes = Votes(*map(np.array, ([0, 0, 1], [0, 1, 0], [1, 1, 0])), None, 2, 2, 2, 2)
    >>> stored = StoredIncidence(Incidence(votes), Path(tempfile.mkdtemp(), "incidence"))
    >>> stored.to_cells(torch.tensor([[1.0, 0.0], [0.5, 0.5]])).tolist()[1]
    [1.0, 0.0]
    """

    def __init__(self, made: Incidence, path: Path):
        assert made._weights is None, "votes have no weights here"
        self.n_units, self.n_cells, self.dtype, self.path = made.n_units, made.n_cells, made.dtype, path
        self._weights = None
        with open(path, "wb") as handle:
            for part in (made.starts, made.cells):
                np.save(handle, part.numpy())
            self._after_rows, self._n_blocks = handle.tell(), len(made._blocks)
            for block in made._blocks:
                for array in (block.units.numpy(), block.pieces.numpy(), block.first):
                    np.save(handle, array)

    def to_units(self, table: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """As of `Incidence`."""
        with open(self.path, "rb") as handle:
            self.starts, self.cells = _read(handle), _read(handle)
        try:
            yield from super().to_units(table)
        finally:
            del self.starts, self.cells

    def _cell_votes(self) -> Iterator[CellVotes]:
        with open(self.path, "rb") as handle:
            handle.seek(self._after_rows)
            for _ in range(self._n_blocks):
                yield CellVotes(_read(handle), _read(handle), np.load(handle, allow_pickle=False), None)


def _read(handle: IO[bytes]) -> Tensor:
    return torch.from_numpy(np.load(handle, allow_pickle=False))
