"""Channels that say outright what an annotator would label a task, and matrices counted from that."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor

from .batch import Batch, Sizes
from .module import DirectModule

__all__ = ["PortraitModule"]


class PortraitModule(DirectModule):
    r"""$p(l | x, j)$ without a hidden truth; $T_j[k, l] \propto \sum_n q_{i_n}(k) p(l | x_{i_n}, j)$, for people.

    The sums run over the votes of j, q is what the model says of the task. Each row has one vote of
    the crowd's common row besides.
    """

    counts: Tensor

    def __init__(self, sizes: Sizes):
        super().__init__()
        self.sizes = (sizes.n_classes, sizes.n_labels)
        self.register_buffer("counts", torch.zeros(sizes.n_annotators, *self.sizes))

    @abstractmethod
    def log_labels(self, said: Tensor, batch: Batch) -> Tensor:
        """Log p(l | x, j) of every vote and every label, [votes, labels]; said is what the network gave."""

    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        """Of the label that was given."""
        return self.log_labels(log_truth, batch).gather(1, batch.label[:, None]).squeeze(1)

    @torch.no_grad()
    def look(self, chances: Tensor, said: Tensor, batch: Batch) -> None:
        """Add the votes of a batch to the counts; chances: q of its units, [batch, classes]."""
        labels = self.log_labels(said, batch).exp()
        seen = chances.index_select(0, batch.unit)[:, :, None] * labels[:, None, :]
        self.counts.index_add_(0, batch.annotator, seen.to(self.counts))

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T of every annotator; before any look the identity."""
        own = torch.eye(*self.sizes).to(self.counts)
        pooled = self.counts.sum(dim=0) + 1e-3 * own
        rows = self.counts + pooled / pooled.sum(dim=1, keepdim=True)
        return rows / rows.sum(dim=2, keepdim=True)
