"""Confusion matrices of annotators who remember their tag before, as a torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .confusion_module import diagonal_logits
from .module import TINY, ChannelModule
from .previous import with_memory
from .softmax_columns import short_softmax, softmax_columns
from .sparse import embedding, ridge
from .votes import Votes

if TYPE_CHECKING:
    from .previous_tag import Previous

__all__ = ["PreviousModule"]


class PreviousModule(ChannelModule):
    r"""$T_{jp}[k, :] = \mathrm{softmax}(G_k + M_{pk} + W_{jk} + V_{jpk})$; p is a label, or none (the last).

    common: G. after: M. own: W. both: V, a row a state of mind, annotator * (labels + 1) + p.
    """

    met: Tensor

    def __init__(self, spec: Previous, sizes: Sizes):
        super().__init__()
        self.spec, self.shape, self.states = spec, (sizes.n_classes, sizes.n_labels), sizes.n_labels + 1
        width = sizes.n_classes * sizes.n_labels
        self.common = nn.Parameter(diagonal_logits(spec.diagonal, *self.shape))
        self.after = embedding(self.states, width)
        self.own = embedding(sizes.n_annotators, width)
        self.both = embedding(sizes.n_annotators * self.states, width)
        self.register_buffer("met", torch.ones(sizes.n_annotators, self.states))

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How often each state of mind was met."""
        if votes.starts is None:
            raise ParameterError(
                "channel Previous needs what an annotator said one token before, and these labels are no tags: use "
                "Confusion(shared=1)"
            )
        minds = np.bincount(with_memory(votes).annotator, minlength=self.met.numel())
        self.met.copy_(torch.from_numpy(minds).view_as(self.met))

    def forward(self, batch: Batch) -> Tensor:
        """The row of the annotator's state of mind, and the column of the label."""
        mind = self._mind(batch)
        if len(self.both.weight) <= len(mind) and not self.both.sparse:
            return softmax_columns(self._table(), mind, batch.label).clamp(min=TINY).log()
        assert batch.before is not None
        rows = self.after(batch.before) + self.own(batch.annotator) + self.both(mind)
        weights = self.common + rows.view(-1, *self.shape)
        return softmax_columns(weights, None, batch.label).clamp(min=TINY).log()

    def penalty(self, batch: Batch) -> Tensor:
        """Priors of what is there, each shared out over all its votes."""
        assert batch.before is not None
        met, spec = self.met, self.spec
        own, after, both = (
            ridge(table, row, answers.clamp(min=1))
            for table, row, answers in (
                (self.own, batch.annotator, met.sum(dim=1)),
                (self.after, batch.before, met.sum(dim=0)),
                (self.both, self._mind(batch), met.flatten()),
            )
        )
        return spec.shared * own + spec.memory * (after + both)

    @torch.no_grad()
    def minds(self) -> Tensor:
        """T of every annotator after every tag, [annotators, labels + 1, classes, labels]."""
        return short_softmax(self._table()).view(len(self.own.weight), self.states, *self.shape)

    def confusions(self) -> Tensor:
        """T of every annotator, over the states of mind as often as they were met."""
        share = self.met + 1e-6
        return torch.einsum("jp,jpkl->jkl", share / share.sum(dim=1, keepdim=True), self.minds())

    def _mind(self, batch: Batch) -> Tensor:
        if batch.before is None:
            raise ParameterError("channel Previous needs batches of tags that say what was said before")
        return batch.annotator * self.states + batch.before

    def _table(self) -> Tensor:
        own, both = self.own.weight[:, None], self.both.weight.view(-1, self.states, self.common.numel())
        return (self.common.flatten() + self.after.weight + own + both).view(-1, *self.shape)
