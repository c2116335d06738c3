"""Confusion matrices as a torch module: SpeeLFC's channel, with an optional shared part and priors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .module import TableModule
from .sparse import embedding, ridge
from .votes import Votes

if TYPE_CHECKING:
    from .confusion import Confusion, ConfusionParams

__all__ = ["ConfusionModule"]


class ConfusionModule(TableModule):
    r"""$T_j[k, :] = \mathrm{softmax}(G_k + W_{jk})$; without a shared part G is nothing.

    Priors in training act on the logits: with `shared` = s, $W_j \sim N(0, 1 / s)$ about the learnt
    G, so that more holds annotators closer together, as more votes borrowed do in closed form;
    Dirichlet counts act on the matrices of the annotators present.
    """

    answers: Tensor

    def __init__(self, spec: Confusion, sizes: Sizes):
        super().__init__()
        self.spec, self._shape = spec, (sizes.n_classes, sizes.n_labels)
        self.logits = embedding(sizes.n_annotators, sizes.n_classes * sizes.n_labels)
        start = diagonal_logits(spec.diagonal, *self._shape)
        with torch.no_grad():
            self.logits.weight.copy_(torch.zeros(1) if spec.shared else start.reshape(1, -1))
        self.common = nn.Parameter(start) if spec.shared else None
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)
        self._params: ConfusionParams | None = None  # of the last closed-form M-step

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's prior is shared out over."""
        self.answers.copy_(torch.from_numpy(np.maximum(votes.answers(), 1)))

    @property
    def shape(self) -> tuple[int, int]:
        """Classes and labels."""
        return self._shape

    def bend(self, logits: Tensor) -> Tensor:
        """With the shared part."""
        return logits if self.common is None else self.common + logits

    def penalty(self, batch: Batch) -> Tensor | None:
        """Priors of the annotators present, each shared out over all its votes."""
        spec = self.spec
        if not (spec.shared or spec.right or spec.wrong):
            return None
        cost = batch.label.new_zeros((), dtype=self.logits.weight.dtype)
        if spec.shared:
            cost = cost + spec.shared * ridge(self.logits, batch.annotator, self.answers)
        if spec.right or spec.wrong:
            rows = self.logits(batch.annotator).view(-1, *self._shape)
            log_t = self.bend(rows).log_softmax(dim=2)
            counts = spec.pseudo(*self._shape[::-1]).T.to(log_t)
            cost = cost - ((counts * log_t).sum(dim=(1, 2)) / self.answers[batch.annotator]).sum()
        return cost

    def update(self, counts: Tensor) -> bool:
        """Closed form: the spec's M-step, written back as logits."""
        params = self.spec.maximise(counts.double(), self._params)
        self._params = params
        log_t = params.log_confusions.transpose(1, 2).to(self.logits.weight.dtype)
        with torch.no_grad():
            if self.common is not None:
                self.common.copy_(params.log_shared.T)
                log_t = log_t - self.common
            self.logits.weight.copy_(log_t.reshape(len(log_t), -1))
        return True


def diagonal_logits(diagonal: float, n_classes: int, n_labels: int) -> Tensor:
    """`diagonal` on the diagonal, nothing elsewhere; [classes, labels]."""
    return diagonal * torch.eye(n_classes, n_labels)
