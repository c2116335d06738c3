"""Noise that all annotators share, and their own: CoNAL's without features (Chu, Ma and Wang, 2021, appendix)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .channel import FLOOR
from .confusion import Confusion, normalised
from .sums import steady_sum

__all__ = ["CommonConfusion", "CommonParams"]


class CommonParams(NamedTuple):
    """log_common: log C, [labels, classes]; log_own: log T, [annotators, labels, classes].

    logit: log-odds of the common one, [annotators].
    """

    log_common: Tensor
    log_own: Tensor
    logit: Tensor


@dataclass(frozen=True)
class CommonConfusion:
    r"""$p(l | k, j) = s_j C[k, l] + (1 - s_j) T_j[k, l]$: a vote is of the common noise, or the annotator's own.

    right, wrong: Dirichlet counts of each row of every T before any vote, as of `Confusion`; C, which all
        votes inform, has none.
    common, own: a Beta prior's counts of votes of either kind, on each $s_j$. Without priors T alone
        says everything that C can, and nothing tells them apart.

    A vote's kind given the truth, $q(s = 1 | k) = s_j C / (s_j C + (1 - s_j) T_j)$, depends on annotator, label
    and class alone: the M-step shares out the expected counts by it, and never falls.
    """

    right: float = 1.0
    wrong: float = 1.0
    common: float = 2.0
    own: float = 2.0

    def maximise(self, counts: Tensor, params: CommonParams | None = None) -> CommonParams:
        """Counts shared out between the two; evenly at first, when own counts keep the two apart."""
        share = torch.full_like(counts, 0.5) if params is None else _of_common(params)
        shared, own = counts * share, counts * (1 - share)
        prior = self._prior(counts)
        logit = (shared.sum(dim=(1, 2)) + self.common + FLOOR).log() - (
            own.sum(dim=(1, 2)) + self.own + FLOOR
        ).log()
        return CommonParams(_rows(shared.sum(dim=0) + FLOOR), _rows(own + prior), logit)

    def log_rows(self, params: CommonParams) -> Tensor:
        """The mixture."""
        return torch.logaddexp(*_parts(params))

    def log_prior(self, params: CommonParams) -> float:
        """Dirichlet and Beta terms, up to a constant."""
        prior = self._prior(params.log_own)
        total = FLOOR * steady_sum(params.log_common) + steady_sum(prior * params.log_own)
        odds = (self.common + FLOOR) * logsigmoid(params.logit) + (self.own + FLOOR) * logsigmoid(
            -params.logit
        )
        return total + steady_sum(odds)

    def project(self, params: CommonParams) -> CommonParams:
        """Rows that sum to one, none below the floor."""
        return CommonParams(normalised(params.log_common), normalised(params.log_own), params.logit)

    def _prior(self, like: Tensor) -> Tensor:
        return Confusion(self.right, self.wrong).pseudo(*like.shape[1:]) + FLOOR


def _parts(params: CommonParams) -> tuple[Tensor, Tensor]:
    """Log of either kind's part of p(label | truth)."""
    odds = params.logit[:, None, None]
    return logsigmoid(odds) + params.log_common, logsigmoid(-odds) + params.log_own


def _of_common(params: CommonParams) -> Tensor:
    common, own = _parts(params)
    return torch.sigmoid(common - own)


def _rows(counts: Tensor) -> Tensor:
    return counts.log() - counts.sum(dim=-2, keepdim=True).log()
