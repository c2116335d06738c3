"""EM on the joint objective with the ability x easiness channel (GLAD)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ..channels import Ability, VoteIndex, Votes
from ..channels.ability import AbilityParams
from ..channels.incidence import BLOCK
from ..channels.sums import steady_sum
from .joint import joint_posterior
from .start import starting_shares

__all__ = ["AbilityEM", "GladParams", "blocks_of", "infer_easiness"]


class GladParams(NamedTuple):
    """log_truth: the classes' log prior, [classes]; channel: abilities and easinesses."""

    log_truth: Tensor
    channel: AbilityParams


class AbilityEM:
    r"""The score of class k is $\sum_n [l_n = k] (a_j b_i + \log(K - 1))$ and a term that all share.

    abilities: fixed ones, where only the easinesses are to be learnt.
    """

    def __init__(
        self,
        votes: Votes,
        channel: Ability,
        log_truth: Tensor,
        *,
        known: np.ndarray | None = None,
        abilities: Tensor | None = None,
    ):
        self.votes, self.channel, self.log_truth, self.abilities = votes, channel, log_truth, abilities
        self.index = VoteIndex(votes)
        self._cell = self.index.unit * votes.n_classes + torch.from_numpy(votes.label.astype(np.int64))
        self.known = None if known is None else torch.from_numpy(known.astype(np.int64))
        self.n_votes = votes.total
        self._log_others = float(np.log(max(votes.n_classes - 1, 1)))

    def start(self, generator: torch.Generator | None) -> Tensor:
        """Shares of votes."""
        return starting_shares(self.votes, self.known, generator, torch.float64)

    def expect(self, params: GladParams) -> tuple[Tensor, float]:
        """E-step."""
        logit = self._logit(params.channel)
        shared = steady_sum(logsigmoid(-logit)) - len(logit) * self._log_others
        sizes = (self.votes.n_units, self.votes.n_classes)
        scores = logit.new_zeros(sizes[0] * sizes[1]).index_add_(0, self._cell, logit + self._log_others)
        posterior, likelihood = joint_posterior(
            self.log_truth, blocks_of(scores.view(sizes)), self.votes.n_units, self.known
        )
        return posterior, likelihood + shared + self.channel.log_prior(params.channel)

    def maximise(self, posterior: Tensor, params: GladParams | None) -> GladParams:
        """M-step: Newton steps from where the parameters are."""
        channel = self._first() if params is None else params.channel
        right = posterior.reshape(-1)[self._cell]
        learn = self.abilities is None
        return GladParams(self.log_truth, self.channel.improve(right, self.index, channel, learn))

    def project(self, params: GladParams) -> GladParams:
        """Any real numbers will do, but easiness must stay finite."""
        easy = params.channel.log_easiness.clamp(-10, 10)
        return params._replace(channel=params.channel._replace(log_easiness=easy))

    def _first(self) -> AbilityParams:
        start = self.channel.start(self.votes.n_annotators, self.votes.n_units)
        return start if self.abilities is None else start._replace(ability=self.abilities)

    def _logit(self, params: AbilityParams) -> Tensor:
        return self.index.of_annotators(params.ability) * self.index.of_units(params.log_easiness.exp())


def infer_easiness(
    votes: Votes, ability: np.ndarray, log_truth: np.ndarray, max_iter: int = 20
) -> np.ndarray:
    """The posterior of new units, [units, classes]: abilities fixed, easinesses learnt."""
    problem = AbilityEM(votes, Ability(), torch.from_numpy(log_truth), abilities=torch.from_numpy(ability))
    posterior = problem.start(None)
    params = None
    for _ in range(max_iter):
        params = problem.maximise(posterior, params)
        posterior, _ = problem.expect(params)
    return posterior.numpy()


def blocks_of(scores: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Scores as `joint_posterior` takes them, block by block of units."""
    for start in range(0, len(scores), BLOCK):
        units = slice(start, min(start + BLOCK, len(scores)))
        yield units, scores[units]
