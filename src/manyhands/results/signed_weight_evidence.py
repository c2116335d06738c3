"""What one vote says where votes are added up by weights, some of them below nought."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..channels.counting import signed_shares
from ..channels.votes import Votes
from .posterior import ClassPosterior

__all__ = ["SignedWeightEvidence"]


@dataclass(frozen=True, eq=False)
class SignedWeightEvidence:
    """weights: [annotators], below 0 against what is said; given: 1 for classes that got a vote, [classes]."""

    name: ClassVar[str] = "signed-weight"
    weights: np.ndarray
    given: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Votes) -> SignedWeightEvidence:
        """The unseen have the mean weight."""
        mean = self.weights.mean() if len(self.weights) else 1.0
        return replace(self, weights=np.append(self.weights, mean)[codes])

    def infer(self, votes: Votes) -> ClassPosterior:
        """Weighted shares."""
        return ClassPosterior(signed_shares(votes, self.weights[votes.annotator], self.given > 0))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Votes are added up."""

    def columns(self) -> dict[str, np.ndarray]:
        """The weights: 0 tells nothing, below 0 the contrary of what is said."""
        return {"weight": self.weights}
