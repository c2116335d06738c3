"""What estimators with a head an annotator share, of tasks or of tokens: the loop, the channel, the heads' say."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import torch

from ..annotations import Annotations
from ..channels import Heads, Sizes, Votes
from ..training.features import Features
from ..training.learner import Learner
from ..training.portraits import HeadsLearner
from .checks import check_choice, check_integer, check_number
from .crowd_estimator import CrowdEstimator

__all__ = ["VotingHeads", "WeighedHeads"]


class VotingHeads(CrowdEstimator if TYPE_CHECKING else object):  # type: ignore[misc]
    """A representation, heads on it, and a vote of the heads; stands before the kind of estimator among the bases."""

    vote: str

    @abstractmethod
    def _body(self, sample: torch.Tensor, labels: Annotations) -> tuple[Any, int]:
        """The network without its last layer, and how many columns it gives."""

    def _channel(self) -> Heads:
        return Heads(self.vote)

    def _loop(self, network: Any) -> type[Learner]:
        return HeadsLearner

    def _parts(self, sample: torch.Tensor, labels: Annotations, votes: Votes) -> tuple[Any, Any]:
        body, width = self._body(sample, labels)
        sizes = Sizes(labels.n_annotators, votes.n_labels, votes.n_classes, width, labels.n_units)
        return body, self._channel().build(sizes)

    def _check(self) -> None:
        check_choice(self, vote=("majority", "mean"))
        super()._check()


class WeighedHeads(VotingHeads):
    """The heads' say is learnt last."""

    averaging_epochs: int
    averaging_rate: float

    def _learner(self, features: Features, labels: Annotations, weight: Any) -> Learner:
        learner: Any = super()._learner(features, labels, weight)
        learner.averaging_epochs, learner.averaging_rate = self.averaging_epochs, self.averaging_rate
        return learner

    def _check(self) -> None:
        check_integer(self, averaging_epochs=1)
        check_number(self, averaging_rate=0)
        super()._check()
