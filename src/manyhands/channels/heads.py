"""A softmax head an annotator on a shared representation: Doctor Net (Guan et al., 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .module import TINY
from .portrait import PortraitModule
from .sparse import embedding
from .votes import Votes

__all__ = ["Heads", "HeadsModule"]

VOTES = ("majority", "mean")
AT_ONCE = 2**20  # chances [batch, heads, labels] of a block of heads


@dataclass(frozen=True)
class Heads:
    r"""$p(l | x, j) = \mathrm{softmax}(H_j h(x))_l$; the truth is a vote of the heads.

    vote: "majority", each head one vote for its likeliest class; or "mean", of their chances. Heads
        of annotators without labels have no vote.

    What the network gives is a representation h(x), not chances: see `manyhands.DoctorNet`.
    """

    vote: str = "majority"

    def __post_init__(self) -> None:
        if self.vote not in VOTES:
            raise ParameterError(f"vote={self.vote!r} must be one of {', '.join(map(repr, VOTES))}")

    def build(self, sizes: Sizes) -> HeadsModule:
        """The torch module to train; n_features is the width of the representation."""
        return HeadsModule(self, sizes)


class HeadsModule(PortraitModule):
    """Rows of a table, one an annotator: weights and biases of the head; and its say in the vote."""

    speaks: Tensor

    def __init__(self, spec: Heads, sizes: Sizes):
        super().__init__(sizes)
        self.spec, self.width = spec, sizes.n_features
        self.table = embedding(sizes.n_annotators, (self.width + 1) * sizes.n_labels)
        bound = 1 / max(self.width, 1) ** 0.5  # as torch begins a linear layer
        nn.init.uniform_(self.table.weight, -bound, bound)
        self.say = nn.Parameter(torch.zeros(sizes.n_annotators))
        self.register_buffer("speaks", torch.zeros(sizes.n_annotators, dtype=torch.bool))

    def start(self, votes: Votes, shares: Tensor) -> None:
        """Whose heads are trained; later ones join."""
        self.speaks[torch.from_numpy(np.unique(votes.annotator).astype(np.int64)).to(self.speaks.device)] = (
            True
        )

    def log_labels(self, said: Tensor, batch: Batch) -> Tensor:
        """The heads of the annotators in the batch, each on its own votes."""
        rows = self.table(batch.annotator).view(len(batch.annotator), self.width + 1, -1)
        here = said.index_select(0, batch.unit)
        logits = torch.bmm(here[:, None, :], rows[:, :-1]).squeeze(1) + rows[:, -1]
        return logits.log_softmax(dim=1)

    @torch.no_grad()
    def vote(self, said: Tensor) -> Tensor:
        """Log of the classes' shares in the vote of all heads, [batch, classes]; heads pass in blocks."""
        n_classes, say = self.sizes[0], self.weights()
        total = said.new_zeros(len(said), n_classes)
        for heads, chances in self._blocks(said):
            chances = chances[..., :n_classes]
            if self.spec.vote == "majority":
                chances = nn.functional.one_hot(chances.argmax(dim=2), n_classes).to(say)
            total += torch.einsum("bjk,j->bk", chances, say[heads])
        total = total.clamp(min=TINY)
        return (total / total.sum(dim=1, keepdim=True)).log()

    def averaging_loss(self, said: Tensor, batch: Batch) -> Tensor:
        r"""$-\sum_n \log \sum_{j \ne j_n} w_j p_j(l_n | x) / \sum_{j \ne j_n} w_j$, in the weights w alone."""
        with torch.no_grad():
            log_chance = torch.cat(
                [c[batch.unit, :, batch.label].clamp(min=TINY).log() for _, c in self._blocks(said)], dim=1
            )
        own = batch.annotator[:, None] == torch.arange(len(self.say), device=self.say.device)
        log_say = self._log_say().expand(len(own), -1).masked_fill(own, -torch.inf)
        others = (self.speaks & ~own).any(dim=1)
        log_say, log_chance = log_say[others], log_chance[others]
        told = (log_say + log_chance).logsumexp(dim=1) - log_say.logsumexp(dim=1)
        return -(told if batch.weight is None else told * batch.weight[others]).sum()

    @torch.no_grad()
    def weights(self) -> Tensor:
        """The heads' say in the vote, [annotators]; they sum to one."""
        return self._log_say().exp()

    def sayings(self) -> list[nn.Parameter]:
        """What averaging learns."""
        return [self.say]

    def _log_say(self) -> Tensor:
        """Log w, [annotators]; nothing for heads that were never trained."""
        silent = ~self.speaks & self.speaks.any()
        return self.say.masked_fill(silent, -torch.inf).log_softmax(dim=0)

    def _blocks(self, said: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """Chances [batch, heads, labels] of some heads at a time."""
        size = max(1, AT_ONCE // max(len(said) * self.sizes[1], 1))
        for start in range(0, len(self.table.weight), size):
            heads = slice(start, start + size)
            rows = self.table.weight[heads].view(-1, self.width + 1, self.sizes[1])
            logits = torch.einsum("bh,jhl->bjl", said, rows[:, :-1]) + rows[:, -1]
            yield heads, logits.softmax(dim=2)
