"""What votes say of sets where every label was learnt by itself: the evidence of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..channels.votes import Votes
from .posterior import ClassPosterior

if TYPE_CHECKING:
    from .evidence import Evidence

__all__ = ["LabelEvidence"]


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """parts: one evidence a label, in class order, each of no and yes of all tasks."""

    name: ClassVar[str] = "labels"
    parts: tuple[Evidence, ...]

    def adapt(self, codes: np.ndarray, votes: Votes) -> LabelEvidence:
        """Each to its own label's votes."""
        own = enumerate(self.parts)
        return LabelEvidence(tuple(part.adapt(codes, self._votes(votes, k)) for k, part in own))

    def infer(self, votes: Votes) -> ClassPosterior:
        """Label by label."""
        found = [part.infer(self._votes(votes, k)).chances for k, part in enumerate(self.parts)]  # type: ignore[union-attr]
        return ClassPosterior(np.stack(found, axis=1).reshape(votes.n_units, votes.n_classes))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray | None:
        """As the unit's label has it."""
        n = len(self.parts)
        return self.parts[unit % n].of_vote(unit // n, annotator, label, n_classes)

    def columns(self) -> dict[str, np.ndarray]:
        """None: an annotator is as good as may be at each label."""
        return {}

    def _votes(self, votes: Votes, k: int) -> Votes:
        n = len(self.parts)
        own = votes.unit % n == k
        return votes._replace(
            unit=votes.unit[own] // n, annotator=votes.annotator[own], label=votes.label[own],
            weight=None if votes.weight is None else votes.weight[own], n_units=votes.n_units // n,
        )  # fmt: skip
