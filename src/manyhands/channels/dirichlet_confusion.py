"""Beliefs about confusion matrices: a Dirichlet for every row (Kim and Ghahramani, 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .confusion import Confusion
from .dirichlet import divergence, expected_log
from .sums import steady_sum

__all__ = ["DirichletConfusion", "DirichletParams"]


class DirichletParams(NamedTuple):
    """log_counts: log of the Dirichlets' counts, [annotators, labels, classes x subtypes]."""

    log_counts: Tensor


@dataclass(frozen=True)
class DirichletConfusion:
    r"""$T_j[k, \cdot] \sim \mathrm{Dir}(\text{prior}_k + \text{expected counts})$: what is learnt is a belief.

    right, wrong: counts of each row before any vote: of its own class, and of the others together
        (each: of every one of them).
    n_subtypes: rows that each class has, all with the prior of their class.

    The log-likelihood of a vote is $E \log T = \psi(\text{count}) - \psi(\text{row's sum})$, whose
    exponentials sum to less than one: what is not known counts less. The prior's part of the
    objective is minus the divergence from it, so that the objective is the evidence lower bound.

    >>> counts = torch.tensor([[[6.0, 0.0], [1.0, 2.0]]], dtype=torch.float64)  # [annotators, labels, classes]
    >>> belief = DirichletConfusion(right=2, wrong=1).maximise(counts)
    >>> belief.log_counts.exp().round(decimals=3).tolist()
    [[[8.0, 1.0], [2.0, 4.0]]]
    """

    right: float = 4.0
    wrong: float = 1.0
    n_subtypes: int = 1
    each: bool = False

    def maximise(self, counts: Tensor, params: DirichletParams | None = None) -> DirichletParams:
        """The prior's counts and those of the votes."""
        return DirichletParams((counts + self.prior(*counts.shape[1:])).log())

    def log_rows(self, params: DirichletParams) -> Tensor:
        r"""$E \log T$."""
        return expected_log(params.log_counts.exp(), dim=1)

    def log_prior(self, params: DirichletParams) -> float:
        """Minus the Kullback-Leibler divergence of the beliefs from the prior."""
        counts = params.log_counts.exp()
        return -steady_sum(divergence(counts, self.prior(*counts.shape[1:]), dim=1))

    def project(self, params: DirichletParams) -> DirichletParams:
        """No count below the prior's."""
        least = self.prior(*params.log_counts.shape[1:]).log()
        return DirichletParams(torch.maximum(params.log_counts, least))

    def prior(self, n_labels: int, n_states: int) -> Tensor:
        """The prior's counts, [labels, classes x subtypes]."""
        wrong = self.wrong * (n_labels - 1) if self.each else self.wrong
        classes = Confusion(self.right, wrong).pseudo(n_labels, n_states // self.n_subtypes)
        return classes.repeat_interleave(self.n_subtypes, dim=1)
