"""Aggregators whose parameters are beliefs: variational Bayes by the same loop as EM."""

from __future__ import annotations

from abc import abstractmethod

import torch

from ..annotations import Annotations
from ..channels import DirichletConfusion, Votes
from ..objectives import JointVB
from .checks import check_above
from .em_aggregator import EMAggregator

__all__ = ["VariationalAggregator"]


class VariationalAggregator(EMAggregator):
    """Climb the evidence lower bound; `mass` tasks of each class are seen before any.

    spread: the Dirichlet mass that a class shares out among its subtypes, where it has some.
    """

    mass: float
    spread: float = 1.0

    @abstractmethod
    def _channel(self) -> DirichletConfusion:
        """The prior on matrices."""

    def _problem(self, labels: Annotations, votes: Votes, log_truth: torch.Tensor | None) -> JointVB:
        return JointVB(
            votes,
            self._channel(),
            log_truth=log_truth,
            mass=self.mass,
            spread=self.spread,
            **self._given(labels),
        )

    def _check(self) -> None:
        super()._check()
        check_above(self, mass=0, spread=0)
