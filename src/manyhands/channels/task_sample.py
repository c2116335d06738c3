"""Some tasks, remembered: what an annotator's matrix is averaged over where it depends on x."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .batch import Batch, Sizes

__all__ = ["TaskSample"]

TASKS, NUMBERS = 256, 2**20  # no more tasks, and no more numbers kept in all


class TaskSample(nn.Module):
    r"""The first tasks of training, at most 256, and the shares of votes that each class has there.

    $T_j[k, :] = \sum_i s_i(k) T_{ij}[k, :] / \sum_i s_i(k)$: row k is learnt on tasks of class k,
    so it is averaged over them. Batches come in random order, so the first are as good as any;
    kept with the weights, so that a saved model still knows its matrices.
    """

    features: Tensor
    shares: Tensor
    filled: Tensor

    def __init__(self, sizes: Sizes):
        super().__init__()
        rows = min(TASKS, max(16, NUMBERS // max(sizes.n_features, 1)), sizes.n_units or TASKS)
        self.register_buffer("features", torch.zeros(rows, sizes.n_features))
        self.register_buffer("shares", torch.ones(rows, sizes.n_classes))
        self.register_buffer("filled", torch.zeros((), dtype=torch.int64))
        self._all: Tensor | None = None

    def start(self, shares: Tensor) -> None:
        """Shares of votes of all units, [units, classes], to take those of the sample from."""
        self._all = shares

    @torch.no_grad()
    def keep(self, batch: Batch) -> None:
        """Take tasks from the batch while there is room."""
        first = int(self.filled)
        if first == len(self.features):
            self._all = None
            return
        features = batch.whole(batch.features)
        rows = slice(first, min(first + len(features), len(self.features)))
        taken = rows.stop - rows.start
        self.features[rows] = features[:taken].to(self.features)
        if self._all is not None:
            self.shares[rows] = batch.whole(self._all[batch.units])[:taken].to(self.shares)
        self.filled += taken

    @property
    def rows(self) -> Tensor:
        """Features of the sample; before training, one row of noughts."""
        return self.features[: max(int(self.filled), 1)]

    @property
    def weights(self) -> Tensor:
        """What each task counts in each class's row, [tasks, classes]; every column sums to one."""
        shares = self.shares[: max(int(self.filled), 1)] + 1e-6
        return shares / shares.sum(dim=0)
