"""What the votes of a unit say together where each class has subtypes that annotators see differently."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..channels.votes import Votes
from .evidence import TableEvidence
from .posterior import ClassPosterior

__all__ = ["SubtypeEvidence"]


@dataclass(frozen=True, eq=False)
class SubtypeEvidence:
    """Log rows [annotators, labels, states] and log prior [states]; a class has `subtypes` states in a row.

    No vote has a weight of its own: what it tells depends on the others, which tell the subtype.
    mean_rows: mean chances, [annotators, labels, states]. subtypes: the mean share of each in its
    class, [classes, subtypes].
    """

    name: ClassVar[str] = "subtype"
    log_rows: np.ndarray
    log_states: np.ndarray
    mean_rows: np.ndarray
    subtypes: np.ndarray

    @cached_property
    def table(self) -> TableEvidence:
        """Chances of labels given the class alone, as logarithms; and of the classes."""
        n_annotators, n_labels, _ = self.mean_rows.shape
        rows = self.mean_rows.reshape(n_annotators, n_labels, *self.subtypes.shape)
        classes = np.exp(self.log_states.astype(np.float64)).reshape(self.subtypes.shape).sum(axis=1)
        return TableEvidence(np.log((rows * self.subtypes).sum(axis=3)), np.log(classes / classes.sum()))

    def adapt(self, codes: np.ndarray, votes: Votes) -> SubtypeEvidence:
        """Rows of the table; the unseen answer as the fitted do on average."""
        judging = TableEvidence(self.log_rows, self.log_states).adapt(codes, votes)
        mean = np.exp(TableEvidence(np.log(self.mean_rows), self.log_states).adapt(codes, votes).log_rows)
        return replace(self, log_rows=judging.log_rows, mean_rows=mean)

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step over states, added up by class."""
        states = votes._replace(n_classes=len(self.log_states))
        chances = TableEvidence(self.log_rows, self.log_states).infer(states).chances
        return ClassPosterior(chances.reshape(len(chances), *self.subtypes.shape).sum(axis=2))

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> None:
        """The votes of a unit tell together."""

    def columns(self) -> dict[str, np.ndarray]:
        """None."""
        return {}

    def confusion(self, annotator: int) -> np.ndarray:
        """Mean T[k, l] of one annotator, over the subtypes of each class."""
        return self.table.confusion(annotator)
