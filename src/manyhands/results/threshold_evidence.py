"""Votes merely counted, but against a threshold other than a half."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..channels.counting import shares
from ..channels.votes import Votes
from .posterior import ClassPosterior

__all__ = ["ThresholdEvidence"]


@dataclass(frozen=True, eq=False)
class ThresholdEvidence:
    """thresholds: one for every label of a task, in turn; none: the soft majority."""

    name: ClassVar[str] = "threshold"
    thresholds: np.ndarray

    def adapt(self, codes: np.ndarray, votes: Any) -> ThresholdEvidence:
        """Everybody counts alike."""
        return self

    def infer(self, votes: Votes) -> ClassPosterior:
        """Shares, their odds divided by the threshold's."""
        counted = shares(votes)
        if not len(self.thresholds):
            return ClassPosterior(counted)
        cut = np.resize(self.thresholds, votes.n_units)
        weighted = counted * np.column_stack([cut, 1 - cut]).astype(counted.dtype)
        return ClassPosterior(weighted / weighted.sum(axis=1, keepdims=True))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """Votes are counted."""

    def columns(self) -> dict[str, np.ndarray]:
        """None."""
        return {}
