"""Numbers with a bias and a precision an annotator (Raykar et al., 2010, without features)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..processes import totals
from .batch import Sizes
from .gaussian_module import GaussianModule
from .normal import posterior
from .sums import steady_sum
from .vote_index import VoteIndex

__all__ = [
    "Gaussian",
    "GaussianParams",
    "GaussianSums",
    "NormalTruth",
    "centre_of",
    "centre_sums",
    "spread_sums",
]


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


class GaussianSums(NamedTuple):
    """Of each annotator's answers about truth and bias: how many, their sum and squares; truths: four sums of units."""

    answers: Tensor
    error: Tensor
    squares: Tensor
    truths: Tensor


class SpreadSums(NamedTuple):
    """Of answers: how many, of how many units, their squares about the centre and within units."""

    n: Tensor
    told: Tensor
    squares: Tensor
    within: Tensor


class CentreSums(NamedTuple):
    """Of answers: how many, and their sum."""

    n: Tensor
    value: Tensor


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
        centre = centre_of(totals(centre_sums(values)))
        return self.first(totals(spread_sums(values, votes, centre)), centre, votes.sizes[1])

    def first(self, sums: SpreadSums, centre: float, n_annotators: int) -> GaussianParams:
        """Where EM begins, from sums over all answers."""
        n = float(sums.n)
        spread = max(float(sums.squares) / n, 1e-12) if n else 1.0
        within = float(sums.within) / max(n - float(sums.told), 1) or spread / 2
        alike = torch.full((n_annotators,), -math.log(within), dtype=torch.float64)
        return GaussianParams(
            torch.zeros_like(alike), alike, alike.new_tensor(centre), alike.new_tensor(math.log(spread))
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
        return self.learn(self.sums(truth, values, votes, params), params, scale)

    def sums(
        self, truth: NormalTruth, values: Tensor, votes: VoteIndex, params: GaussianParams
    ) -> GaussianSums:
        """What `learn` asks for; errors are about the bias and the centre before, so that no figure is lost."""
        error = values - votes.of_units(truth.mean) - votes.of_annotators(params.bias)
        off = truth.mean - params.centre
        squares = error * error + votes.of_units(truth.variance)
        return GaussianSums(
            votes.per_annotator(torch.ones_like(values)),
            votes.per_annotator(error),
            votes.per_annotator(squares),
            torch.tensor(
                [len(off), steady_sum(off), steady_sum(off * off), steady_sum(truth.variance)],
                dtype=torch.float64,
            ),
        )

    def learn(self, sums: GaussianSums, params: GaussianParams, scale: float) -> GaussianParams:
        """From sums over all units."""
        count, precision = sums.answers, params.log_precision.exp()
        bias = (sums.error + count * params.bias) * precision
        bias = bias / (count * precision + self.pull / scale).clamp(min=1e-300)
        moved = bias - params.bias
        squares = (sums.squares - 2 * moved * sums.error + moved * moved * count).clamp(min=0)
        seen = count + self.strength
        variance = torch.where(seen > 0, (squares + self.strength * scale) / seen.clamp(min=1e-300), scale)
        n, off, wide, doubt = (float(part) for part in sums.truths)
        n = max(n, 1.0)
        spread = max(wide / n - (off / n) ** 2, 0.0) + doubt / n
        return GaussianParams(
            bias,
            -variance.clamp(min=FLOOR * scale).log(),
            params.centre + off / n,
            count.new_tensor(math.log(max(spread, FLOOR * scale))),
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


def centre_sums(values: Tensor) -> CentreSums:
    """What the centre is made of."""
    return CentreSums(*values.new_tensor([len(values), steady_sum(values)]))


def centre_of(sums: CentreSums) -> float:
    """The mean of all answers."""
    return float(sums.value) / max(float(sums.n), 1.0)


def spread_sums(values: Tensor, votes: VoteIndex, centre: float) -> SpreadSums:
    """What the spread of answers, and that about their unit's mean, are made of."""
    off, count = values - centre, votes.per_unit(torch.ones_like(values))
    residual = values - votes.of_units(votes.per_unit(values) / count.clamp(min=1))
    parts = [len(values), int((count > 0).sum()), steady_sum(off * off), steady_sum(residual * residual)]
    return SpreadSums(*values.new_tensor(parts))


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
