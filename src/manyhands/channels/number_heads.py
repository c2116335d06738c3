"""A linear head an annotator on a shared representation, for numbers: Doctor Net (Guan et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .number_layer import NumberLayer, SquaredModule
from .sparse import embedding
from .votes import Votes

__all__ = ["NumberHeads", "NumberHeadsModule"]

SAYS = ("bias", "weight", "both")


@dataclass(frozen=True)
class NumberHeads:
    r"""$l_n \approx h(x) \cdot w_j + c_j$ by squared error; the truth is the heads' mean.

    averaging: what `averaging_loss` learns, the heads being fixed: a "bias" each, a "weight" each, "both".
    What the network gives is a representation h(x): see `manyhands.DoctorNetRegressor`.
    """

    averaging: str = "bias"

    def __post_init__(self) -> None:
        if self.averaging not in SAYS:
            raise ParameterError(f"averaging={self.averaging!r} must be one of {', '.join(map(repr, SAYS))}")

    def build(self, sizes: Sizes) -> NumberHeadsModule:
        """The torch module to train; n_features is the width of the representation."""
        return NumberHeadsModule(self, sizes)


class NumberHeadsModule(SquaredModule):
    """As a channel of the heads' mean, each annotator has the bias of their head: for what comes after."""

    speaks: Tensor

    def __init__(self, spec: NumberHeads, sizes: Sizes):
        super().__init__(NumberLayer("B", centred=False), sizes)
        assert self.bias_table is not None
        self.bias_table.weight.requires_grad_(False)
        self.heads, self.width = spec, sizes.n_features
        self.table = embedding(sizes.n_annotators, self.width + 1)
        bound = 1 / max(self.width, 1) ** 0.5  # as torch begins a linear layer
        nn.init.uniform_(self.table.weight, -bound, bound)
        self.say = nn.Parameter(torch.zeros(sizes.n_annotators))
        self.shift = nn.Parameter(torch.zeros(sizes.n_annotators))
        self.register_buffer("speaks", torch.zeros(sizes.n_annotators, dtype=torch.bool))

    def start(self, votes: Votes, shares: Tensor) -> None:
        """Whose heads are trained; later ones join."""
        if not self.speaks.any():  # what was settled since, stays
            super().start(votes, shares)
        self.speaks[torch.from_numpy(np.unique(votes.annotator).astype(np.int64)).to(self.speaks.device)] = (
            True
        )

    def log_label(self, said: Tensor, batch: Batch) -> Tensor:
        """Half the square of each head's miss on its own votes, below zero."""
        return -0.5 * (batch.label - self.own(said, batch)) ** 2

    def own(self, said: Tensor, batch: Batch) -> Tensor:
        """What the head of each vote's annotator says."""
        rows = self.table(batch.annotator)
        return (said[batch.unit] * rows[:, :-1]).sum(dim=1) + rows[:, -1]

    @torch.no_grad()
    def vote(self, said: Tensor) -> Tensor:
        """The heads' mean, with the variance that was settled: rows, [batch, 2]."""
        say = self._log_say().exp()
        # A mean of linear heads is a linear head: nothing as wide as there are annotators a row.
        head = say @ self.table.weight
        mean = said @ head[:-1] + head[-1] + say @ self.shift
        return torch.stack([mean, self.log_spread.exp().expand_as(mean)], dim=1)

    def averaging_loss(self, said: Tensor, batch: Batch) -> Tensor:
        r"""$\sum_n (l_n - \sum_{j \ne j_n} w_j (p_j(x) + c_j) / \sum_{j \ne j_n} w_j)^2 / 2$ in w and c alone."""
        say = self._log_say().exp()
        with torch.no_grad():
            rows = self.table.weight
            own = self.own(said, batch)
        all_ = (said @ (say @ rows)[:-1] + (say @ rows)[-1] + say @ self.shift)[batch.unit]
        mine = say[batch.annotator]
        others = 1 - mine
        told = (all_ - mine * (own + self.shift[batch.annotator])) / others.clamp(min=1e-6)
        errors = torch.where(others > 1e-6, 0.5 * (batch.label - told) ** 2, 0.0)
        return batch.total(errors)

    def sayings(self) -> list[nn.Parameter]:
        """What averaging learns."""
        return {"bias": [self.shift], "weight": [self.say], "both": [self.say, self.shift]}[
            self.heads.averaging
        ]

    @torch.no_grad()
    def look(self, bias: Tensor) -> None:
        """Keep how far each head lies above the mean of all."""
        assert self.bias_table is not None
        self.bias_table.weight.copy_(bias[:, None])

    @torch.no_grad()
    def weights(self) -> Tensor:
        """The heads' say, [annotators]; they sum to one."""
        return self._log_say().exp()

    def _log_say(self) -> Tensor:
        """Log w; nothing for heads that were never trained."""
        silent = ~self.speaks & self.speaks.any()
        return self.say.masked_fill(silent, -torch.inf).log_softmax(dim=0)
