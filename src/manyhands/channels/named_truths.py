"""Which truths somebody gave to each unit, and every vote beside every one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .votes import Votes

__all__ = ["NamedTruths"]


class NamedTruths:
    """A *pair* is a unit and a class that a vote gave it; a *meeting* a vote and a pair of its unit.

    cell: annotator * classes + the pair's class, of every meeting; pair, label, weight: likewise.
    code: unit * classes + class, of every pair, ascending. given: which labels there are. Sums are scipy's: on one thread.

    >>> votes = Votes(*map(np.array, ([0, 0, 1], [0, 1, 0], [1, 0, 1])), None, 2, 2, 2, 2)
    >>> named = NamedTruths(votes)
    >>> named.code.tolist(), named.pair.tolist(), named.cell.tolist()
    ([0, 1, 3], [0, 1, 0, 1, 2], [0, 1, 2, 3, 1])
    """

    def __init__(self, votes: Votes):
        k = votes.n_classes
        self.shape = (votes.n_annotators, k, votes.n_labels)
        self.n_units, self.total = votes.n_units, votes.total
        self.code = np.unique(votes.unit * np.int64(k) + votes.label)
        pairs = np.bincount(self.code // max(k, 1), minlength=votes.n_units)
        each = pairs[votes.unit]  # meetings of each vote
        vote = np.repeat(np.arange(len(votes.unit)), each)
        within = np.arange(len(vote)) - np.repeat(np.cumsum(each) - each, each)
        self.pair = (np.cumsum(pairs) - pairs)[votes.unit[vote]] + within
        self.cell = votes.annotator[vote] * np.int64(k) + self.code[self.pair] % max(k, 1)
        self.given = torch.from_numpy(
            (np.bincount(votes.label, minlength=votes.n_labels) > 0) | (not len(vote))
        )
        self.label = torch.from_numpy(votes.label[vote].astype(np.int64))
        ones = np.ones(len(votes.unit)) if votes.weight is None else votes.weight.astype(np.float64)
        self.weight = torch.from_numpy(ones[vote])
        spoken = votes.annotator * np.int64(votes.n_labels) + votes.label
        self._votes = _sums(votes.unit, spoken, ones, votes.n_units, votes.n_annotators * votes.n_labels)
        order, meetings = np.arange(len(vote)), np.ones(len(vote))
        self._cells = _sums(self.cell, order, meetings, votes.n_annotators * k, len(vote))
        self._pairs = _sums(self.pair, order, meetings, len(self.code), len(vote))

    def of_pairs(self, values: Tensor) -> Tensor:
        """Each meeting's row of a table of pairs."""
        return values[torch.from_numpy(self.pair)]

    def of_cells(self, values: Tensor) -> Tensor:
        """Each meeting's row of a table of annotators and truths."""
        return values[torch.from_numpy(self.cell)]

    def per_pair(self, values: Tensor) -> Tensor:
        """Sums over the meetings of each pair."""
        return torch.from_numpy(self._pairs @ values.numpy())

    def per_cell(self, values: Tensor) -> Tensor:
        """Sums over the meetings of each annotator and truth."""
        return torch.from_numpy(self._cells @ values.numpy())

    def per_unit(self, rows: Tensor) -> Tensor:
        """Sums over each unit's votes of rows [annotators, classes, labels], at their labels."""
        by_label = rows.transpose(1, 2).reshape(-1, self.shape[1])
        return torch.from_numpy(self._votes @ by_label.contiguous().numpy())

    def counts(self, posterior: Tensor) -> Tensor:
        """Expected counts [annotators, classes, labels] of all truths, named or not."""
        n_annotators, k, n_labels = self.shape
        sums = torch.from_numpy(self._votes.T @ posterior.numpy())
        return sums.view(n_annotators, n_labels, k).transpose(1, 2)

    def chance(self, posterior: Tensor) -> Tensor:
        """What every meeting counts: the vote's weight times the chance of its pair's truth."""
        return self.of_pairs(posterior.reshape(-1)[torch.from_numpy(self.code)]) * self.weight


def _sums(row: np.ndarray, column: np.ndarray, values: np.ndarray, *shape: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((values, (row, column)), shape=shape)
