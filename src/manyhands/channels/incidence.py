"""The two sums of EM over sparse votes, each one call of embedding_bag.

A *cell* is an (annotator, label) pair, numbered annotator * n_labels + label. The E-step sums
rows of a table keyed by cell over the votes of each unit; the M-step sums rows of the posterior
keyed by unit over the votes of each cell. Nothing is ever tasks x annotators.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ..annotations import starts_of
from ..annotations.ragged import group_values
from .votes import Votes

__all__ = ["BLOCK", "Incidence"]

# Units a block: small enough for the cache, and for torch to add a block's likelihood on one
# thread, so that sums do not depend on the number of threads.
BLOCK = 16384
# A busy annotator has millions of votes in a cell: float32 sums are made in pieces of this many
# and the pieces added in float64.
PIECE = 1024
# Numbers of the posterior that the M-step reads at random at a time: 8 MB stay in a cache, 40 MB do
# not (ten classes, a million units: 16 ms against 36). Each block of units costs a sum for every cell.
AT_RANDOM = 1 << 21
VOTES_A_CELL = 8


class CellVotes(NamedTuple):
    """The votes of a block of units, by cell: their units, and where the pieces of each cell start.

    first: each cell's first piece. weight: what each vote counts.
    """

    units: Tensor
    pieces: Tensor
    first: np.ndarray
    weight: Tensor | None


class Incidence:
    """Which votes belong to which unit and which cell, in both orders.

    >>> votes = Votes(*map(np.array, ([0, 0, 1], [0, 1, 0], [1, 1, 0])), None, 2, 2, 2, 2)
    >>> Incidence(votes).to_cells(torch.tensor([[.9, .1], [.5, .5]])).tolist()[1]
    [0.8999999761581421, 0.10000000149011612]
    """

    def __init__(self, votes: Votes, dtype: torch.dtype = torch.float32):
        self.n_units, self.n_cells = votes.n_units, votes.n_annotators * votes.n_labels
        self.dtype = dtype
        cells = votes.annotator * np.int32(votes.n_labels) + votes.label.astype(np.int32)
        cells = cells.astype(np.int32, copy=False)
        self.cells = torch.from_numpy(cells)
        starts = starts_of(np.bincount(votes.unit, minlength=self.n_units))
        self.starts = torch.from_numpy(starts.astype(np.int32))
        self._weights = None if votes.weight is None else torch.from_numpy(votes.weight).to(dtype)
        edges = starts[_edges(votes, self.n_cells)]
        self._blocks = [self._by_cell(cells, votes.unit, int(a), int(b)) for a, b in pairwise(edges)]

    def _by_cell(self, cells: np.ndarray, unit: np.ndarray, start: int, stop: int) -> CellVotes:
        order, starts, units = group_values(cells[start:stop], self.n_cells, unit[start:stop])
        pieces, first = _cut(starts)
        weight = None if self._weights is None else self._weights[start:stop][torch.from_numpy(order)]
        return CellVotes(_tensor(units), _tensor(pieces), first, weight)

    def to_units(self, table: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """Sums of the table's rows [cells, K] over the votes of each unit, block by block."""
        for start in range(0, self.n_units, BLOCK):
            stop = min(start + BLOCK, self.n_units)
            offsets = self.starts[start : stop + 1]
            a, b = int(offsets[0]), int(offsets[-1])
            weights = None if self._weights is None else self._weights[a:b]
            yield slice(start, stop), _sum_rows(self.cells[a:b], table, offsets - a, weights)

    def to_cells(self, posterior: Tensor) -> Tensor:
        """Sums of the posterior's rows [units, K] over the votes of each cell, in float64."""
        total = torch.zeros(self.n_cells, posterior.shape[1], dtype=torch.float64)
        for block in self._cell_votes():
            sums = _sum_rows(block.units, posterior, block.pieces, block.weight)
            if len(sums) != self.n_cells:
                sums = torch.from_numpy(np.add.reduceat(sums.double().numpy(), block.first, axis=0))
            total += sums
        return total

    def _cell_votes(self) -> Iterable[CellVotes]:
        return self._blocks


def _edges(votes: Votes, n_cells: int) -> np.ndarray:
    """The units where blocks begin, and the end."""
    wanted = votes.n_units * votes.n_classes / AT_RANDOM
    affordable = len(votes.unit) / (VOTES_A_CELL * max(n_cells, 1))
    count = int(np.ceil(max(1.0, min(wanted, affordable))))
    return np.linspace(0, votes.n_units, count + 1).astype(np.int64)


def _sum_rows(rows: Tensor, table: Tensor, offsets: Tensor, weights: Tensor | None) -> Tensor:
    if not len(rows):
        return table.new_zeros(len(offsets) - 1, table.shape[1])
    return embedding_bag(
        rows, table, offsets, mode="sum", include_last_offset=True, per_sample_weights=weights
    )


def _cut(starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Piece boundaries no further than PIECE apart, and each cell's first piece."""
    lengths = np.diff(starts)
    count = np.maximum(-(-lengths // PIECE), 1)
    first = starts_of(count)
    within = np.arange(first[-1]) - np.repeat(first[:-1], count)
    return np.append(np.repeat(starts[:-1], count) + within * PIECE, starts[-1]), first[:-1]


def _tensor(array: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, dtype=np.int32))
