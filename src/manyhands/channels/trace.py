"""Confusion matrices with a price on their traces (Tanno et al., 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .batch import Batch, Sizes
from .confusion_module import diagonal_logits
from .module import TableModule
from .sparse import embedding
from .votes import Votes

__all__ = ["Trace", "TraceModule"]


@dataclass(frozen=True)
class Trace:
    r"""$T_j[k, :] = \mathrm{softmax}(P_j[k, :])$, and $\lambda \sum_j \mathrm{tr}(T_j)$ is added to the loss of a task.

    Votes alone fix the products f T only: a surer network with noisier annotators says the same. A
    positive `trace` takes the noisiest annotators that will do, and so the surest network: where the
    average matrix is diagonally dominant, the least trace is the true one (Tanno et al., theorem 1). A
    negative one draws the matrices to the identity instead, and leaves doubt to the network.

    trace: lambda, against the mean over tasks of the negative log-likelihood.
    diagonal: the diagonal of the logits at the start.
    """

    trace: float = 1e-2
    diagonal: float = 3.0

    def build(self, sizes: Sizes) -> TraceModule:
        """The torch module to train.

        >>> Trace(diagonal=0.0).build(Sizes(2, 4, 4)).confusions()[0, 0].tolist()
        [0.25, 0.25, 0.25, 0.25]
        """
        return TraceModule(self, sizes)


class TraceModule(TableModule):
    """The trace is of the annotators present, each shared out over all its votes."""

    answers: Tensor

    def __init__(self, spec: Trace, sizes: Sizes):
        super().__init__()
        self.spec, self._shape, self.n_tasks = spec, (sizes.n_classes, sizes.n_labels), sizes.n_units
        self.logits = embedding(sizes.n_annotators, sizes.n_classes * sizes.n_labels)
        with torch.no_grad():
            self.logits.weight.copy_(diagonal_logits(spec.diagonal, *self._shape).reshape(1, -1))
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's price is shared out over; how many tasks have votes."""
        self.answers.copy_(torch.from_numpy(np.maximum(votes.answers(), 1)))
        self.n_tasks = votes.n_answered()

    @property
    def shape(self) -> tuple[int, int]:
        """Classes and labels."""
        return self._shape

    def penalty(self, batch: Batch) -> Tensor | None:
        r"""$\lambda N \mathrm{tr}(T_j) / n_j$ for each vote: over all tasks, $\lambda N \sum_j \mathrm{tr}(T_j)$."""
        if not self.spec.trace:
            return None
        present, place = batch.annotator.unique(return_inverse=True)
        matrices = self.logits(present).view(-1, *self._shape).softmax(dim=2)
        price = matrices.diagonal(dim1=1, dim2=2).sum(dim=1) / self.answers[present]
        return self.spec.trace * self.n_tasks * price[place].sum()
