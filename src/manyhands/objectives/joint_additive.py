"""EM on the joint objective with annotators' and tasks' confusions added (MMCE)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..channels import Additive, Votes
from ..channels.additive import AdditiveParams, log_meetings
from ..channels.channel import FLOOR
from ..channels.named_truths import NamedTruths
from ..channels.sums import column_sums
from .joint import joint_posterior
from .joint_ability import blocks_of
from .start import starting_shares

__all__ = ["AdditiveEM", "MinimaxParams"]


class MinimaxParams(NamedTuple):
    """log_truth: the classes' log prior, [classes]; channel: of annotators and tasks."""

    log_truth: Tensor
    channel: AdditiveParams


class AdditiveEM:
    r"""The score of class k is $\sum_n \log T_n[k]$: the annotator's own, and a correction for named truths.

    log_truth: a fixed log prior; None to learn it. sigma: fixed annotators, where only the tasks' confusions are to be learnt.
    """

    def __init__(
        self,
        votes: Votes,
        channel: Additive,
        log_truth: Tensor | None,
        *,
        known: np.ndarray | None = None,
        sigma: Tensor | None = None,
    ):
        self.votes, self.channel, self.fixed, self.sigma = votes, channel, log_truth, sigma
        self.index = NamedTruths(votes)
        self.known = None if known is None else torch.from_numpy(known.astype(np.int64))
        self.n_votes = votes.total

    def start(self, generator: torch.Generator | None) -> Tensor:
        """Shares of votes."""
        return starting_shares(self.votes, self.known, generator, torch.float64)

    def expect(self, params: MinimaxParams) -> tuple[Tensor, float]:
        """E-step."""
        index, sigma = self.index, params.channel.sigma
        plain = sigma.log_softmax(dim=2)
        label = index.label[:, None]
        both = log_meetings(index, params.channel).gather(1, label)
        alone = index.of_cells(plain.flatten(0, 1)).gather(1, label)
        scores = index.per_unit(plain)
        change = index.per_pair((both - alone).squeeze(1) * index.weight)
        scores.view(-1)[torch.from_numpy(index.code)] += change
        posterior, likelihood = joint_posterior(
            params.log_truth, blocks_of(scores), self.votes.n_units, self.known
        )
        prior = self.channel.log_prior(params.channel) + FLOOR * float(params.log_truth.sum())
        return posterior, likelihood + prior

    def maximise(self, posterior: Tensor, params: MinimaxParams | None) -> MinimaxParams:
        """M-step: some steps up the dual from where the parameters are."""
        log_truth = self._learn_prior(posterior) if self.fixed is None else self.fixed
        before = None if params is None else params.channel
        return MinimaxParams(log_truth, self.channel.improve(posterior, self.index, before, self.sigma))

    def project(self, params: MinimaxParams) -> MinimaxParams:
        """Any real numbers will do, but chances sum to one; what is fixed stays."""
        log_truth = params.log_truth.log_softmax(dim=0) if self.fixed is None else self.fixed
        return params._replace(log_truth=log_truth)

    def _learn_prior(self, posterior: Tensor) -> Tensor:
        sums = column_sums(posterior) + FLOOR
        return sums.log() - sums.sum().log()
