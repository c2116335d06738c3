"""Aggregators whose parameters are beliefs: variational Bayes by the same loop as EM."""

from __future__ import annotations

from abc import abstractmethod

import torch

from ..annotations import Annotations
from ..channels import DirichletConfusion, Votes
from ..objectives import JointVB
from .checks import check_above
from .em_aggregator import EMAggregator, log_class_prior

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

    def _problem(self, labels: Annotations, votes: Votes) -> JointVB:
        return JointVB(
            votes,
            self._channel(),
            known=labels.truth if self.use_truth else None,
            log_truth=log_class_prior(self.class_prior, labels),
            mass=self.mass,
            spread=self.spread,
            dtype=getattr(torch, self.dtype),
        )

    def _check(self) -> None:
        super()._check()
        check_above(self, mass=0, spread=0)
