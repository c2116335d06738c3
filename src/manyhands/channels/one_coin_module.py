"""One coin as a torch module."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .batch import Batch, Sizes
from .module import ChannelModule
from .sparse import embedding
from .votes import Votes

if TYPE_CHECKING:
    from .one_coin import OneCoin

__all__ = ["OneCoinModule", "coin_columns"]


class OneCoinModule(ChannelModule):
    r"""$T_j[k, l] = \sigma(c_j)$ where l = k, else $\sigma(-c_j) / (K - 1)$; c starts at the spec's accuracy."""

    answers: Tensor

    def __init__(self, spec: OneCoin, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        self.logit = embedding(sizes.n_annotators, 1)
        torch.nn.init.constant_(self.logit.weight, math.log(spec.accuracy / (1 - spec.accuracy)))
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's prior is shared out over."""
        self.answers.copy_(torch.from_numpy(np.maximum(votes.answers(), 1)))

    def forward(self, batch: Batch) -> Tensor:
        """Right or wrong."""
        return coin_columns(self.logit(batch.annotator).squeeze(1), batch.label, self.shape[0])

    def penalty(self, batch: Batch) -> Tensor | None:
        """The Beta prior of the annotators present, each shared out over all its votes."""
        if not (self.spec.right or self.spec.wrong):
            return None
        logit = self.logit(batch.annotator).squeeze(1)
        cost = -self.spec.right * logsigmoid(logit) - self.spec.wrong * logsigmoid(-logit)
        return (cost / self.answers[batch.annotator]).sum()

    def update(self, counts: Tensor) -> bool:
        """Closed form: the share of right answers."""
        with torch.no_grad():
            self.logit.weight.copy_(self.spec.maximise(counts.double()).logit[:, None])
        return True

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T of every annotator."""
        from .one_coin import coin_rows

        n_classes, n_labels = self.shape
        rows = coin_rows(self.logit.weight.squeeze(1), n_labels, n_classes).transpose(1, 2).exp()
        return rows / rows.sum(dim=2, keepdim=True)


def coin_columns(logit: Tensor, label: Tensor, n_classes: int) -> Tensor:
    """Log p(label | truth) of votes of coins, [votes, classes], from their log-odds [votes].

    One class is always right. "Cannot say", a label more than there are classes, tells nothing.
    """
    if n_classes == 1:
        return logit.new_zeros(len(logit), 1)
    wrong = (logsigmoid(-logit) - math.log(n_classes - 1))[:, None]
    same = label[:, None] == torch.arange(n_classes, device=label.device)
    columns = torch.where(same, logsigmoid(logit)[:, None], wrong)
    return columns.masked_fill((label >= n_classes)[:, None], 0.0)
