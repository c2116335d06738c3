"""A chain over the tags of a sentence on top of any network of words: a conditional random field."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from ..annotations.scheme import Scheme
from .sentences import Sentences

__all__ = ["NEVER", "ChainScores", "Chained"]

NEVER = -1e4  # the log weight of what may not be: its exponential is nought


class ChainScores(NamedTuple):
    r"""$p(z | x) \propto \prod_t e^{s_t(z_t)} \prod_t e^{a(z_{t-1}, z_t)}$ of whole sentences.

    scores: s, [tokens, classes], with what a first and a last tag weigh. step: a, [before, after].
    lengths: of the sentences. told: 0 where known truths allow a class, else `NEVER`; None where none is known.
    """

    scores: Tensor
    step: Tensor
    lengths: Tensor
    told: Tensor | None = None


class Chained(nn.Module):
    """The network's logits are the scores of tags; weights of first tags, last tags and steps are learnt.

    scheme: of the tags; what it forbids has no chance. They begin at nothing, so that tokens stand alone at first.

    >>> chain = Chained(nn.Embedding(9, 3), 3, Scheme.of(["O", "B-X", "I-X"]))
    >>> chain.weights()[2][0].tolist()
    [0.0, 0.0, -10000.0]
    """

    may: Tensor

    def __init__(self, body: nn.Module, n_classes: int, scheme: Scheme | None):
        super().__init__()
        self.body = body
        self.ends = nn.Parameter(torch.zeros(2, n_classes))
        self.steps = nn.Parameter(torch.zeros(n_classes, n_classes))
        may = torch.ones(n_classes + 2, n_classes, dtype=torch.bool)
        if scheme is not None:
            rows = (scheme.may_start[None], scheme.may_end[None], scheme.allowed)
            may = torch.cat([torch.from_numpy(part.copy()) for part in rows])
        self.register_buffer("may", may)

    def weights(self) -> tuple[Tensor, Tensor, Tensor]:
        """Logs of the weights of first tags, of last ones, and of steps [before, after]."""
        ends = self.ends.masked_fill(~self.may[:2], NEVER)
        return ends[0], ends[1], self.steps.masked_fill(~self.may[2:], NEVER)

    def forward(self, batch: Sentences) -> ChainScores:
        """The scores of a batch of sentences."""
        scores, ends = self.body(batch).float(), batch.lengths.cumsum(0)
        first, last, step = self.weights()
        for rows, weights in ((ends - batch.lengths, first), (ends - 1, last)):
            scores = scores.index_add(0, rows, weights.expand(len(rows), -1))
        return ChainScores(scores, step, batch.lengths)
