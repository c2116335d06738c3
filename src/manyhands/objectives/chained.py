"""What a network, a chain over its tags, and a channel are trained to: one truth a sentence, not a token."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..annotations import starts_of
from ..channels.batch import Batch
from ..channels.module import ChannelModule
from ..networks.chained import NEVER, ChainScores
from .chain import Layout
from .chain_mass import chain_chances, chain_mass, chain_pairs
from .objective import MarginalObjective, Objective

__all__ = [
    "CHAINED",
    "ChainedEM",
    "ChainedJoint",
    "ChainedMarginal",
    "apart",
    "chances_of",
    "cross_entropy",
    "layout_of",
]


class ChainedJoint(Objective):
    r"""$\sum_i \log \sum_z p(z | x_i) \prod_n T_n[z] = \sum_i \log Z(s + \log T) - \log Z(s)$, z a whole sentence."""

    name = "joint"

    def loss(
        self, log_truth: ChainScores, channel: ChannelModule, batch: Batch, targets: Tensor | None
    ) -> Tensor:
        """Both masses in one walk."""
        both = torch.stack([_seen(log_truth, channel, batch), log_truth.scores], dim=1)
        mass = chain_mass(both, log_truth.step.exp(), layout_of(log_truth))
        return (mass[:, 1] - mass[:, 0]).sum()


class ChainedEM(Objective):
    r"""EM on the joint: $\sum_i E_q [\log p(z | x_i) + \sum_n \log T_n[z]]$, q held for a round.

    Targets are rows of a token: its chances, and those of it and the token before together, [tokens, K + K K].
    """

    name = "em"
    has_rounds = True

    def loss(
        self, log_truth: ChainScores, channel: ChannelModule, batch: Batch, targets: Tensor | None
    ) -> Tensor:
        """Of the network with its chain, and of the channel."""
        assert targets is not None
        votes = batch.per_unit(channel(batch))
        return (
            self.truth_loss(log_truth, channel, batch, targets) - (targets[:, : votes.shape[1]] * votes).sum()
        )

    def truth_loss(self, log_truth: ChainScores, channel: object, batch: Batch, targets: Tensor) -> Tensor:
        """The network's share."""
        return cross_entropy(log_truth, targets).sum()

    def expect(self, log_truth: ChainScores, channel: ChannelModule, batch: Batch) -> Tensor:
        """E-step, by forward and backward."""
        seen = _seen(log_truth, channel, batch)
        chances, pairs = chain_pairs(seen, log_truth.step.exp(), layout_of(log_truth))
        return torch.cat([chances, pairs.flatten(1)], dim=1)


class ChainedMarginal(MarginalObjective):
    """Of each token's own chances given x: how votes are foretold. It is for scoring, not to be climbed."""

    def loss(
        self, log_truth: ChainScores, channel: ChannelModule, batch: Batch, targets: Tensor | None
    ) -> Tensor:
        """Every vote by itself."""
        return super().loss(chances_of(log_truth).log(), channel, batch, targets)


CHAINED: dict[str, Objective] = {o.name: o for o in (ChainedJoint(), ChainedEM(), ChainedMarginal())}


def chances_of(said: ChainScores) -> Tensor:
    """The chances of every token by x alone, [tokens, classes], without gradient."""
    return chain_chances(said.scores, said.step.exp(), layout_of(said))


def cross_entropy(said: ChainScores, targets: Tensor) -> Tensor:
    r"""$-E_q \log p(z | x)$ of every sentence, [sentences]; targets as of `ChainedEM`."""
    layout, width = layout_of(said), said.scores.shape[1]
    by_tag = targets[:, :width] * _possible(said.scores)
    by_step = targets[:, width:] @ _possible(said.step).flatten()
    sentence = torch.repeat_interleave(said.lengths)
    told = by_tag.new_zeros(len(said.lengths)).index_add(0, sentence, by_tag.sum(dim=1) + by_step)
    return chain_mass(said.scores[:, None], said.step.exp(), layout).squeeze(1) - told


def apart(shares: Tensor, follows: Tensor, may: Tensor) -> Tensor:
    """Targets as of `ChainedEM` were neighbours independent, of the steps that may be.

    follows: whether each token has one before it in its sentence. may: [before, after].
    """
    before = torch.cat([torch.zeros_like(shares[:1]), shares])[:-1] * follows[:, None]
    pairs = before[:, :, None] * shares[:, None, :] * may
    return torch.cat([shares, pairs.flatten(1)], dim=1)


def _seen(said: ChainScores, channel: ChannelModule, batch: Batch) -> Tensor:
    """Scores with what votes and known truths say."""
    scores = said.scores + batch.per_unit(channel(batch))
    return scores if said.told is None else scores + said.told


def _possible(logs: Tensor) -> Tensor:
    """Noughts in place of what may not be: a crowd's shares may be there all the same."""
    return logs.masked_fill(logs < NEVER / 2, 0.0)


def layout_of(said: ChainScores) -> Layout:
    """Where the sentences' places are."""
    return Layout(starts_of(np.asarray(said.lengths.cpu())), said.scores.device)
