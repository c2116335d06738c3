"""What one vote says where annotators come in groups that share a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..channels.votes import Votes
from .evidence import TableEvidence
from .posterior import ClassPosterior

__all__ = ["GroupEvidence"]


@dataclass(frozen=True, eq=False)
class GroupEvidence:
    """belonging: [annotators, groups]; log_matrices: [groups, labels, classes]; log_truth: [classes]."""

    name: ClassVar[str] = "group"
    belonging: np.ndarray
    log_matrices: np.ndarray
    log_truth: np.ndarray

    @cached_property
    def table(self) -> TableEvidence:
        """The mean of the groups' log matrices, by which votes are weighed."""
        rows = np.einsum("jm,mlk->jlk", self.belonging, self.log_matrices)
        return TableEvidence(rows, self.log_truth)

    def adapt(self, codes: np.ndarray, votes: Votes) -> GroupEvidence:
        """Groups as fitted; the unseen are of each group as the fitted are on average."""
        n_groups = self.belonging.shape[1]
        n = len(self.belonging)
        mean = self.belonging.mean(axis=0) if n else np.full(n_groups, 1 / n_groups)
        return replace(self, belonging=np.concatenate([self.belonging, mean[None]])[codes])

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step."""
        return self.table.infer(votes)

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """The row of the table."""
        return self.table.of_vote(unit, annotator, label, n_classes)

    def columns(self) -> dict[str, np.ndarray]:
        """The likeliest group of each annotator, and its chance."""
        return {"group": self.belonging.argmax(axis=1), "group_chance": self.belonging.max(axis=1)}

    def confusion(self, annotator: int) -> np.ndarray:
        """T[k, l] as the next label of one annotator is foretold: the mean of the groups' matrices."""
        mixed: np.ndarray = np.einsum("m,mlk->kl", self.belonging[annotator], np.exp(self.log_matrices))
        return mixed
