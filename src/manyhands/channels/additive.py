r"""Confusion of the annotator plus confusion of the task: MMCE's (Zhou et al., 2015)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .channel import FLOOR
from .named_truths import NamedTruths
from .sums import steady_sum

__all__ = ["Additive", "AdditiveParams", "log_meetings"]

STEPS = 2  # of annotators and tasks in turn, in one M-step
FIRST_STEPS = 30  # in the first, which starts from people who answer at random


class AdditiveParams(NamedTuple):
    r"""sigma: $\sigma$, [annotators, classes, labels]; tau: $\tau$, [pairs of a unit and a named truth, labels].

    rest: [labels], where each row of sigma is at rest: 0, and far below for a label that nobody gave.
    """

    sigma: Tensor
    tau: Tensor
    rest: Tensor


@dataclass(frozen=True)
class Additive:
    r"""$T_{ij}[k, l] \propto \exp(\sigma_j[k, l] + \tau_i[k, l])$.

    alpha, beta: penalties $\frac{\alpha}{2} |\sigma|^2$ (from its rest) and $\frac{\beta}{2} |\tau|^2$.

    $\tau_i[k]$ stays 0 for a truth k that nobody gave to task i: its best value is $q_i(k) / \beta$
    times a residual, so next to nothing, and there would be K of them a task.
    """

    alpha: float
    beta: float

    def start(self, votes: NamedTruths) -> AdditiveParams:
        """Everybody answers at random."""
        rest = torch.where(votes.given, 0.0, math.log(FLOOR)).double()
        tau = torch.zeros(len(votes.code), votes.shape[2], dtype=torch.float64)
        return AdditiveParams(rest.expand(votes.shape).clone(), tau, rest)

    def log_prior(self, params: AdditiveParams) -> float:
        """The penalties, with their sign."""
        moved = params.sigma - params.rest
        return -0.5 * (self.alpha * steady_sum(moved**2) + self.beta * steady_sum(params.tau**2))

    def improve(
        self,
        posterior: Tensor,
        votes: NamedTruths,
        params: AdditiveParams | None,
        sigma: Tensor | None = None,
    ) -> AdditiveParams:
        r"""Ascent of the dual $\sum_{n, k} q_i(k) \log T_n[k]$ with its penalties: concave in both at once.

        The curvature of a log-softmax is at most 1/2 (Boehning, 1992), so a step with that bound
        never overshoots, and the objective cannot fall. sigma: fixed, where only tau is to be learnt.
        """
        steps = FIRST_STEPS if params is None else STEPS
        params = self.start(votes) if params is None else params
        if sigma is not None:
            params = params._replace(sigma=sigma)
        chance, counts = votes.chance(posterior), votes.counts(posterior)
        for _ in range(steps):
            if sigma is None:
                params = params._replace(sigma=self._step_sigma(chance, counts, votes, params))
            params = params._replace(tau=self._step_tau(chance, votes, params))
        return params

    def slopes(self, posterior: Tensor, votes: NamedTruths, params: AdditiveParams) -> tuple[Tensor, Tensor]:
        """The gradient: observed less expected counts, less the penalty. Nought at the optimum."""
        chance, counts = votes.chance(posterior), votes.counts(posterior)
        residual = _residual(chance, votes, params)
        tau = votes.per_pair(residual) - self.beta * params.tau
        return self._sigma_slope(residual, chance, counts, votes, params), tau

    def _sigma_slope(
        self, residual: Tensor, chance: Tensor, counts: Tensor, votes: NamedTruths, params: AdditiveParams
    ) -> Tensor:
        named = torch.zeros(len(chance), votes.shape[2], dtype=torch.float64)
        named.scatter_(1, votes.label[:, None], chance[:, None])
        others = counts - votes.per_cell(named).view(votes.shape)
        expected = others.sum(dim=2, keepdim=True) * params.sigma.softmax(dim=2)
        pull = self.alpha * (params.sigma - params.rest)
        return votes.per_cell(residual).view(votes.shape) + others - expected - pull

    def _step_sigma(
        self, chance: Tensor, counts: Tensor, votes: NamedTruths, params: AdditiveParams
    ) -> Tensor:
        slope = self._sigma_slope(_residual(chance, votes, params), chance, counts, votes, params)
        bend = 0.5 * counts.sum(dim=2, keepdim=True) + self.alpha
        return params.sigma + slope / bend.clamp(min=1e-12)

    def _step_tau(self, chance: Tensor, votes: NamedTruths, params: AdditiveParams) -> Tensor:
        slope = votes.per_pair(_residual(chance, votes, params)) - self.beta * params.tau
        bend = 0.5 * votes.per_pair(chance)[:, None] + self.beta
        return params.tau + slope / bend.clamp(min=1e-12)


def log_meetings(votes: NamedTruths, params: AdditiveParams) -> Tensor:
    """Log T of every meeting, [meetings, labels]."""
    return (votes.of_cells(params.sigma.flatten(0, 1)) + votes.of_pairs(params.tau)).log_softmax(dim=1)


def _residual(chance: Tensor, votes: NamedTruths, params: AdditiveParams) -> Tensor:
    """Chance times (label given - label expected) of every meeting, [meetings, labels]."""
    residual = log_meetings(votes, params).exp_().mul_(-chance[:, None])
    return residual.scatter_add_(1, votes.label[:, None], chance[:, None])
