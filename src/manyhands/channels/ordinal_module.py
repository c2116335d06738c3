"""Ordered classes as a torch module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from .batch import Batch, Sizes
from .module import ChannelModule
from .ordinal import OrdinalParams, annotator_prior, gap_prior, log_gap, place_line, threshold_line
from .sparse import embedding
from .votes import Votes

if TYPE_CHECKING:
    from .ordinal import Ordinal

__all__ = ["OrdinalModule"]


class OrdinalModule(ChannelModule):
    """A table of three numbers an annotator, about the average one, and the crowd's scale."""

    answers: Tensor

    def __init__(self, spec: Ordinal, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        begin = spec.start(1, sizes.n_labels, sizes.n_classes)
        self.annotators = embedding(sizes.n_annotators, 3)  # log width, discrimination - 1, shift
        self.first, self.log_gaps, self.log_steps = (
            nn.Parameter(part.float()) for part in (begin.first, begin.log_gaps, begin.log_steps)
        )
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's prior is shared out over."""
        self.answers.copy_(torch.from_numpy(np.maximum(votes.answers(), 1)))

    def forward(self, batch: Batch) -> Tensor:
        """The stretch between the label's thresholds, as every truth sees it."""
        n_classes = self.shape[0]
        values = self.annotators(batch.annotator)
        if n_classes == 1:
            return values.new_zeros(len(values), 1)
        width, gaps = values[:, 0].exp()[:, None], self.log_gaps.exp()
        u = width * threshold_line(self.first, self.log_gaps)
        seen = (1 + values[:, 1:2]) * place_line(self.log_steps) + values[:, 2:]
        label = batch.label.clamp(max=n_classes - 1)
        upper, lower = (_at(u, label + shift) - seen for shift in (0, -1))
        zero = seen.new_zeros(())
        below = torch.where((label < n_classes - 1)[:, None], logsigmoid(upper), zero)
        above = torch.where((label > 0)[:, None], logsigmoid(-lower), zero)
        inside = ((label > 0) & (label < n_classes - 1))[:, None]
        stretch = _at(width * gaps, label - 1) if len(gaps) else width
        inner = torch.where(inside, log_gap(stretch), zero)
        return (below + above + inner).masked_fill((batch.label >= n_classes)[:, None], 0.0)

    def penalty(self, batch: Batch) -> Tensor | None:
        """The priors of the annotators present, each shared out over all its votes; the scale's over all."""
        if not (self.spec.strength or self.spec.scale):
            return None
        share = 1 / self.answers[batch.annotator]
        cost = -self.spec.strength * (annotator_prior(self._params(self.annotators(batch.annotator))) * share)
        gaps = torch.cat([self.log_gaps, self.log_steps]).exp()
        whole = len(batch.annotator) / self.answers.sum()
        return cost.sum() - self.spec.scale * whole * gap_prior(gaps).sum()

    @torch.no_grad()
    def update(self, counts: Tensor) -> bool:
        """Newton's steps from where the weights are."""
        params = self.spec.maximise(counts.double(), self._params(self.annotators.weight.double()))
        self.annotators.weight.copy_(
            torch.stack([params.log_width, params.discrimination - 1, params.shift], dim=1)
        )
        for name in ("first", "log_gaps", "log_steps"):
            getattr(self, name).copy_(getattr(params, name))
        return True

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T of every annotator."""
        rows = self.spec.log_rows(self._params(self.annotators.weight)).transpose(1, 2).exp()
        return rows / rows.sum(dim=2, keepdim=True)

    def _params(self, values: Tensor) -> OrdinalParams:
        first, gaps, steps = (part.to(values) for part in (self.first, self.log_gaps, self.log_steps))
        size = values.new_zeros(*self.shape[::-1])
        return OrdinalParams(values[:, 0], 1 + values[:, 1], values[:, 2], first, gaps, steps, size)


def _at(table: Tensor, column: Tensor) -> Tensor:
    """One entry a row, [votes, 1]; a column that is not there gives the nearest one."""
    return table.gather(1, column.clamp(0, table.shape[1] - 1)[:, None])
