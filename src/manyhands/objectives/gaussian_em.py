"""EM for numbers: hidden real truths, annotators with a bias and a precision."""

from __future__ import annotations

import math

import numpy as np
import torch

from ..channels import Gaussian, NumberVotes, VoteIndex
from ..channels.counting import means
from ..channels.gaussian import GaussianParams, NormalTruth
from ..channels.sums import steady_sum

__all__ = ["GaussianEM"]


class GaussianEM:
    """The exact Gaussian marginal of all answers, climbed by EM in closed form; in float64.

    known: [units] known truths, NaN elsewhere.
    """

    def __init__(self, votes: NumberVotes, channel: Gaussian, known: np.ndarray | None = None):
        self.votes, self.channel, self.index = votes, channel, VoteIndex(votes)
        self.values = torch.from_numpy(votes.value)
        self.known = None if known is None else torch.tensor(known)
        self.n_votes = float(len(votes.value))
        self._first = channel.start(self.values, self.index)
        self._scale = float((-self._first.log_precision).exp()[0]) if votes.n_annotators else 1.0

    def start(self, generator: torch.Generator | None) -> NormalTruth:
        """Plain means; with a generator, shaken by their standard errors."""
        mean, error = means(self.votes)
        middle = torch.from_numpy(np.nan_to_num(mean, nan=float(self._first.centre)))
        wide = torch.from_numpy(np.nan_to_num(error, nan=math.exp(0.5 * float(self._first.log_spread))))
        if generator is not None:
            middle = middle + wide * torch.empty_like(wide).normal_(generator=generator)
        return NormalTruth(middle, wide**2)

    def expect(self, params: GaussianParams) -> tuple[NormalTruth, float]:
        """E-step."""
        truth, likelihood = self.channel.expect(self.values, self.index, params, self.known)
        return truth, steady_sum(likelihood) + self.channel.log_prior(params, self._scale)

    def maximise(self, posterior: NormalTruth, params: GaussianParams | None) -> GaussianParams:
        """M-step."""
        before = self._first if params is None else params
        return self.channel.maximise(posterior, self.values, self.index, before, self._scale)

    def project(self, params: GaussianParams) -> GaussianParams:
        """No variance below the floor."""
        return self.channel.project(params, self._scale)
