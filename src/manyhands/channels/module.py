"""What a channel is in training: a torch module over the votes of a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from .batch import Batch
from .softmax_columns import softmax_columns
from .votes import Votes

TINY = 1e-30  # what a float32 may still be the logarithm of

__all__ = ["ChannelModule", "DirectModule", "TableModule", "VoteModule"]


class VoteModule(nn.Module, ABC):
    """p(label | truth, annotator, task), sparse: it costs what the votes of the batch cost.

    What a truth is, a class or a number, the kinds of module below say.
    """

    def start(self, votes: Votes, shares: Tensor) -> None:
        """Look at the votes and the first guess of the truths [units, ...] once, before training."""

    def penalty(self, batch: Batch) -> Tensor | None:
        """What priors take off the objective, an unbiased share for this batch; None for nothing."""
        return None

    def update(self, counts: Tensor) -> bool:
        """Set the parameters to what explains the round's statistics best: for classes counts
        [annotators, labels, classes], for numbers moments [annotators, 8] (`moments_of`).

        False where there is no closed form: the M-step is then by gradient.
        """
        return False

    @property
    def is_probability(self) -> bool:
        """Whether there is a log T at all; else p(label | f) is given whole, for `marginal` alone."""
        return True


class ChannelModule(VoteModule):
    """A channel of classes."""

    @abstractmethod
    def forward(self, batch: Batch) -> Tensor:
        r"""$\\log T_n[k]$ for every vote and every truth, [votes, classes]."""

    @abstractmethod
    def confusions(self) -> Tensor:
        """The annotators' matrices for people, [annotators, classes, labels]; rows sum to one."""


class DirectModule(ChannelModule):
    """A channel that is not linear in the truth's chances: p(label | f) whole."""

    def forward(self, batch: Batch) -> Tensor:
        """There is none: see `log_label`."""
        raise NotImplementedError(f"{type(self).__name__} gives p(label | f) whole; use objective='marginal'")

    @abstractmethod
    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        r"""$\\log p(l_n | f)$ of every vote, [votes]; log_truth is [batch, classes]."""

    @property
    def is_probability(self) -> bool:
        """It is not."""
        return False


class TableModule(ChannelModule):
    """A channel that depends on annotator and label alone: rows of a table of logits.

    logits: [annotators, classes, labels], softmax over labels.
    """

    logits: nn.Embedding

    def forward(self, batch: Batch) -> Tensor:
        """Softmax of the rows that are there, then the column of the label."""
        if len(self.logits.weight) <= len(batch.label) and not self.logits.sparse:
            weights, row = self.bend(self.logits.weight.view(-1, *self.shape)), batch.annotator
        else:
            weights, row = self.bend(self.logits(batch.annotator).view(-1, *self.shape)), None
        return softmax_columns(weights, row, batch.label).clamp(min=TINY).log()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Classes and labels."""

    def bend(self, logits: Tensor) -> Tensor:
        """What becomes of the logits before the softmax; a shared part is added here."""
        return logits

    def log_table(self) -> Tensor:
        """Log T of every annotator, [annotators, classes, labels]."""
        return self.bend(self.logits.weight.view(-1, *self.shape)).log_softmax(dim=2)

    def confusions(self) -> Tensor:
        """T of every annotator."""
        with torch.no_grad():
            return self.log_table().exp()
