"""EM for numbers: hidden real truths, annotators with a bias and a precision."""

from __future__ import annotations

import math

import numpy as np
import torch

from ..channels import Gaussian, NumberVotes, VoteIndex
from ..channels.counting import means
from ..channels.gaussian import GaussianParams, GaussianSums, NormalTruth
from ..channels.sums import steady_sum
from .start import Keys, exponentials
from .summed import SummedEM

__all__ = ["GaussianEM"]


class GaussianEM(SummedEM):
    """The exact Gaussian marginal of all answers, climbed by EM in closed form; in float64.

    known: [units] known truths, NaN elsewhere. first: where EM begins, if that is settled; keys: what
    restarts shake each unit by.
    """

    def __init__(
        self,
        votes: NumberVotes,
        channel: Gaussian,
        known: np.ndarray | None = None,
        *,
        first: GaussianParams | None = None,
        keys: Keys = None,
    ):
        self.votes, self.channel, self.index, self.keys = votes, channel, VoteIndex(votes), keys
        self.values = torch.from_numpy(votes.value)
        self.known = None if known is None else torch.tensor(known)
        self.own_votes = float(len(votes.value))
        self._first = channel.start(self.values, self.index) if first is None else first
        self._scale = float((-self._first.log_precision).exp()[0]) if votes.n_annotators else 1.0

    def start(self, generator: torch.Generator | None) -> NormalTruth:
        """Plain means; with a generator, shaken by their standard errors."""
        mean, _ = means(self.votes)
        count = self.index.per_unit(torch.ones_like(self.values))
        middle = torch.from_numpy(np.nan_to_num(mean, nan=float(self._first.centre)))
        wide = torch.where(count > 0, self._scale / count.clamp(min=1), self._first.log_spread.exp())
        if generator is not None:
            one, other = exponentials(self.keys, (len(middle), 2), generator).T
            middle = middle + (2 * wide * one).sqrt() * torch.cos(2 * math.pi * torch.exp(-other))
        return NormalTruth(middle, wide)

    def believe(self, params: GaussianParams) -> tuple[NormalTruth, float]:
        """Normal posteriors."""
        truth, likelihood = self.channel.expect(self.values, self.index, params, self.known)
        return truth, steady_sum(likelihood)

    def sums(self, posterior: NormalTruth, params: GaussianParams | None) -> GaussianSums:
        """Moments an annotator, and of the truths."""
        return self.channel.sums(posterior, self.values, self.index, params or self._first)

    def learn(self, sums: GaussianSums, params: GaussianParams | None) -> GaussianParams:
        """M-step."""
        return self.channel.learn(sums, params or self._first, self._scale)

    def log_priors(self, params: GaussianParams) -> tuple[float, ...]:
        """Of biases and precisions."""
        return (self.channel.log_prior(params, self._scale),)

    def project(self, params: GaussianParams) -> GaussianParams:
        """No variance below the floor."""
        return self.channel.project(params, self._scale)
