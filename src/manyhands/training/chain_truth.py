"""Truths that are tags with a chain over them: a sentence has one truth, not each token its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..annotations.scheme import Scheme
from ..channels import Batch, Votes
from ..channels.module import VoteModule
from ..networks.chained import NEVER, ChainScores
from ..objectives.chained import CHAINED, apart, chances_of, cross_entropy
from ..objectives.objective import Objective
from .class_truth import ClassTruth

__all__ = ["ChainTruth"]

LEAST = 1e-30  # of a chance: what float32 may still be the logarithm of


class ChainTruth(ClassTruth):
    """What the network says is `ChainScores`; rows of it, for people and for scores, are logs of tokens' chances."""

    objectives: ClassVar[Mapping[str, Objective]] = CHAINED

    def read(self, outputs: Any, channel: VoteModule) -> Any:
        """The scores as they are: the chain is normalised as a whole."""
        return outputs

    def rows(self, said: ChainScores) -> Tensor:
        """Log p(tag | x) of every token."""
        return chances_of(said).clamp(min=LEAST).log()

    def distance(self, log_truth: ChainScores, belief: Tensor) -> Tensor:
        """Cross-entropy of a sentence to its tokens' shares, were neighbours independent; shared out evenly."""
        lengths = log_truth.lengths
        starts = torch.zeros(len(belief), dtype=torch.bool, device=belief.device)
        starts[lengths.cumsum(0) - lengths] = True
        whole = cross_entropy(log_truth, apart(belief, ~starts, log_truth.step > NEVER / 2))
        return torch.repeat_interleave(whole / lengths, lengths)

    def given(self, log_truth: ChainScores, known: Tensor, channel: VoteModule) -> tuple[ChainScores, Tensor]:
        """Nothing else is possible where truths are known; what that costs is in the sentence's own mass."""
        scores, told = log_truth.scores, known >= 0
        only = torch.full_like(scores, NEVER).scatter(1, known.clamp(min=0)[:, None], 0.0)
        return log_truth._replace(told=only.masked_fill(~told[:, None], 0.0)), scores.new_zeros(())

    def first_targets(self, belief: Tensor, votes: Votes) -> Tensor:
        """Neighbours independent."""
        assert self.labels is not None
        assert votes.starts is not None
        follows = torch.ones(votes.n_units + 1, dtype=torch.bool)
        follows[torch.from_numpy(votes.starts.copy())] = False
        scheme, width = Scheme.of(self.labels.classes or ()), belief.shape[1]
        may = torch.ones(width, width) if scheme is None else torch.from_numpy(scheme.allowed.copy())
        return apart(belief, follows[:-1].to(belief.device), may.to(belief))

    def beliefs(self, targets: Tensor) -> Tensor:
        """The tokens' own chances."""
        assert self.labels is not None
        return targets[:, : self.labels.n_classes]

    def expect(
        self, phase: Objective, said: ChainScores, channel: VoteModule, batch: Batch, known: Tensor | None,
        shares: Tensor,
    ) -> Tensor:  # fmt: skip
        """Known truths are part of the walk, so that neighbours hear of them."""
        return phase.expect(said if known is None else self.given(said, known, channel)[0], channel, batch)
