r"""Ability x easiness: p(right) = sigmoid(a_j b_i) (GLAD: Whitehill et al., 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .sums import steady_sum
from .vote_index import VoteIndex

__all__ = ["Ability", "AbilityParams"]

NEWTON_STEPS = 2  # of abilities and easinesses in turn, in one M-step


class AbilityParams(NamedTuple):
    """ability: a, [annotators], negative for an adversary; log_easiness: log b, [units]."""

    ability: Tensor
    log_easiness: Tensor


@dataclass(frozen=True)
class Ability:
    r"""A wrong answer falls on each other class alike; a right one has chance $\sigma(a_j b_i)$.

    ability, easiness: means of the normal priors (of standard deviation 1) on a and on log b.
    """

    ability: float = 1.0
    easiness: float = 1.0

    def start(self, n_annotators: int, n_units: int) -> AbilityParams:
        """Everybody and everything at the prior's mean."""
        return AbilityParams(
            torch.full((n_annotators,), self.ability, dtype=torch.float64),
            torch.full((n_units,), self.easiness, dtype=torch.float64),
        )

    def log_prior(self, params: AbilityParams) -> float:
        """Two normals, up to a constant."""
        a, b = params.ability - self.ability, params.log_easiness - self.easiness
        return -0.5 * (steady_sum(a * a) + steady_sum(b * b))

    def improve(
        self, right: Tensor, votes: VoteIndex, params: AbilityParams, learn_ability: bool = True
    ) -> AbilityParams:
        r"""Newton steps on $\sum_n P_n \log\sigma(a b) + (1 - P_n) \log\sigma(-a b)$ + priors.

        right: $P_n$, the posterior of the class that vote n gave. Given the easinesses each
        ability stands alone, and the other way about, so a step is kept where it helps: the
        objective cannot fall.
        """
        for _ in range(NEWTON_STEPS):
            if learn_ability:
                params = params._replace(ability=self._step_ability(right, votes, params))
            params = params._replace(log_easiness=self._step_easiness(right, votes, params))
        return params

    def _step_ability(self, right: Tensor, votes: VoteIndex, params: AbilityParams) -> Tensor:
        a, b = params.ability, votes.of_units(params.log_easiness.exp())
        chance = torch.sigmoid(votes.of_annotators(a) * b)
        slope = votes.per_annotator((right - chance) * b) - (a - self.ability)
        # The curvature is at most b^2 / 4: a step with that bound never overshoots (MM).
        bend = votes.per_annotator(b * b * 0.25) + 1
        return a + slope / bend

    def _step_easiness(self, right: Tensor, votes: VoteIndex, params: AbilityParams) -> Tensor:
        a, log_b = votes.of_annotators(params.ability), params.log_easiness
        logit = a * votes.of_units(log_b.exp())
        chance = torch.sigmoid(logit)
        slope = votes.per_unit((right - chance) * logit) - (log_b - self.easiness)
        bend = votes.per_unit(chance * (1 - chance) * logit * logit) + 1
        new = log_b + (slope / bend).clamp(-1, 1)
        before = votes.per_unit(_gain(right, logit)) - 0.5 * (log_b - self.easiness) ** 2
        after = votes.per_unit(_gain(right, a * votes.of_units(new.exp()))) - 0.5 * (new - self.easiness) ** 2
        return torch.where(after >= before, new, log_b)


def _gain(right: Tensor, logit: Tensor) -> Tensor:
    return right * logsigmoid(logit) + (1 - right) * logsigmoid(-logit)
