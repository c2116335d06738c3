"""Numbers with a bias and a precision an annotator (Raykar et al., 2010, without features)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .batch import Sizes
from .gaussian_module import GaussianModule
from .normal import posterior
from .sums import steady_sum
from .vote_index import VoteIndex

__all__ = ["Gaussian", "GaussianParams", "NormalTruth"]


class NormalTruth(NamedTuple):
    """The posterior of real truths: mean and variance, [units] each."""

    mean: Tensor
    variance: Tensor


class GaussianParams(NamedTuple):
    """bias: b_j; log_precision: log lambda_j; the truth's prior: centre and log variance, one for all
    or [units]; gain: a_j, None where all are 1.
    """

    bias: Tensor
    log_precision: Tensor
    centre: Tensor
    log_spread: Tensor


FLOOR = 1e-12  # of the scale: the smallest variance


@dataclass(frozen=True)
class Gaussian:
    r"""$l_n = a_j z_i + b_j + \epsilon$, $\epsilon \sim N(0, 1 / \lambda_j)$, $z_i \sim N(m, v)$.

    strength: how many answers of average precision stand behind each annotator's precision
        before any answer; without it one lucky annotator would be believed for ever.
    pull: how many answers without bias stand behind each bias.

    For networks, whose word is m:

    scale, bias: whether annotators have a scale a and a bias b of their own; else 1 and 0.
    hold: how many answers without it, to tasks a deviation from the mean, stand behind a scale of 1.
    centred: the means of a and b over all votes are 1 and 0, so that what the network says is a number
        as the crowd gives it; else only the priors say where it lies.
    """

    strength: float = 2.0
    pull: float = 1.0
    scale: bool = False
    bias: bool = True
    hold: float = 5.0
    centred: bool = True

    def build(self, sizes: Sizes) -> GaussianModule:
        """The torch module to train.

        >>> [p.shape[0] for p in Gaussian(scale=True).build(Sizes(7, 1, 1)).parameters() if p.ndim]
        [7, 7, 7]
        """
        return GaussianModule(self, sizes)

    def start(self, values: Tensor, votes: VoteIndex) -> GaussianParams:
        """No bias, one precision: the spread of the answers about their task's mean."""
        centre = steady_sum(values) / max(len(values), 1)
        spread = max(_mean_square(values - centre), 1e-12) if len(values) else 1.0
        count = votes.per_unit(torch.ones_like(values))
        residual = values - votes.of_units(votes.per_unit(values) / count.clamp(min=1))
        freedom = len(values) - int((count > 0).sum())
        within = steady_sum(residual * residual) / max(freedom, 1) or spread / 2
        alike = values.new_full((votes.sizes[1],), -math.log(within))
        return GaussianParams(
            torch.zeros_like(alike), alike, values.new_tensor(centre), values.new_tensor(math.log(spread))
        )

    def expect(
        self,
        values: Tensor,
        votes: VoteIndex,
        params: GaussianParams,
        known: Tensor | None = None,
        gains: Tensor | None = None,
    ) -> tuple[NormalTruth, Tensor]:
        """The posterior of every truth, and the log-likelihood of each unit's answers; gains: a_j, by default 1."""
        ones = torch.ones_like(params.log_precision)
        gain = votes.of_annotators(ones if gains is None else gains)
        centre, spread = (p.expand(votes.sizes[0]) for p in (params.centre, params.log_spread.exp()))
        residual = values - gain * votes.of_units(centre) - votes.of_annotators(params.bias)
        found = posterior(
            residual,
            gain,
            votes.of_annotators(params.log_precision.exp()),
            spread,
            votes.per_unit,
            votes.of_units,
        )
        mean, variance, log_likelihood = found
        if known is not None:
            mean, variance, log_likelihood = _given(known - centre, mean, variance, log_likelihood)
        return NormalTruth(mean + centre, variance), log_likelihood

    def maximise(
        self, truth: NormalTruth, values: Tensor, votes: VoteIndex, params: GaussianParams, scale: float
    ) -> GaussianParams:
        """Biases, precisions (with a Gamma prior of mean 1 / scale) and the truth's prior, in closed form."""
        count = votes.per_annotator(torch.ones_like(values))
        precision = params.log_precision.exp()
        bias = votes.per_annotator(values - votes.of_units(truth.mean)) * precision
        bias = bias / (count * precision + self.pull / scale).clamp(min=1e-300)
        error = values - votes.of_units(truth.mean) - votes.of_annotators(bias)
        squares = votes.per_annotator(error * error + votes.of_units(truth.variance))
        seen = count + self.strength
        variance = torch.where(seen > 0, (squares + self.strength * scale) / seen.clamp(min=1e-300), scale)
        centre = truth.mean.new_tensor(steady_sum(truth.mean) / max(len(truth.mean), 1))
        spread = _mean_square(truth.mean - centre) + steady_sum(truth.variance) / max(len(truth.mean), 1)
        log_spread = math.log(max(spread, FLOOR * scale))
        return GaussianParams(
            bias, -variance.clamp(min=FLOOR * scale).log(), centre, centre.new_tensor(log_spread)
        )

    def project(self, params: GaussianParams, scale: float) -> GaussianParams:
        """No variance below the floor: at none at all the likelihood has no bound."""
        floor = math.log(FLOOR * scale)
        return params._replace(
            log_precision=params.log_precision.clamp(max=-floor),
            log_spread=params.log_spread.clamp(min=floor),
        )

    def log_prior(self, params: GaussianParams, scale: float) -> float:
        """Gamma on the precisions, normal on the biases, up to a constant."""
        gamma = params.log_precision - params.log_precision.exp() * scale
        return 0.5 * steady_sum(self.strength * gamma - self.pull / scale * params.bias**2)


def _mean_square(values: Tensor) -> float:
    return steady_sum(values * values) / max(len(values), 1)


def _given(
    known: Tensor, mean: Tensor, variance: Tensor, log_likelihood: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Known truths: the likelihood of the answers and of that truth together."""
    told = ~known.isnan()
    log_density = -0.5 * ((known - mean) ** 2 / variance + variance.log() + math.log(2 * math.pi))
    return (
        torch.where(told, known, mean),
        torch.where(told, 0.0, variance),
        torch.where(told, log_likelihood + log_density, log_likelihood),
    )
