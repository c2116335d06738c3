"""What the others said of the same unit: sums over the answers of a unit without each one's own."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .votes import Votes

__all__ = ["FellowAnswers"]


class FellowAnswers:
    """One answer for each pair of a unit and an annotator, in the order of the units.

    shares: what it gives to each class, [answers, classes]: one, or a soft label's parts. answer: of each vote.

    >>> votes = Votes(*map(np.array, ([0, 0, 1], [0, 1, 0], [1, 0, 1])), None, 2, 2, 2, 2)
    >>> FellowAnswers(votes).of_others(np.array([[1.0], [10.0], [5.0]])).tolist()
    [[10.0], [1.0], [0.0]]
    """

    def __init__(self, votes: Votes):
        pair = votes.unit * np.int64(votes.n_annotators) + votes.annotator
        code, self.answer = np.unique(pair, return_inverse=True)
        self.n_annotators, self.n_units, self.n_classes = votes.n_annotators, votes.n_units, votes.n_classes
        self.unit, self.annotator = np.divmod(code, max(votes.n_annotators, 1))
        self.shares = np.zeros((len(code), votes.n_classes))
        np.add.at(self.shares, (self.answer, votes.label), 1.0 if votes.weight is None else votes.weight)
        self.weight = self.shares.sum(axis=1)

    @property
    def meetings(self) -> float:
        """How many pairs of answers to the same unit there are."""
        return float((self.of_others(self.weight[:, None])[:, 0] * self.weight).sum() / 2)

    @cached_property
    def _told(self) -> tuple[Any, Any, np.ndarray]:
        """What each annotator told of each unit, sparse: [units, annotators]; turned; and squared, summed."""
        from scipy.sparse import csr_array

        shape = (self.n_units, self.n_annotators)
        told = csr_array((self.weight, (self.unit, self.annotator)), shape=shape)
        return told, told.T.tocsr(), self.per_annotator(self.weight[:, None] ** 2)

    def of_met(self, values: np.ndarray) -> np.ndarray:
        """Of values [annotators, any], the sum over all answers that each annotator's answers meet.

        There and back over the answers: the pairs of annotators, which may be many, are never listed.

        >>> votes = Votes(*map(np.array, ([0, 0, 1], [0, 1, 0], [1, 0, 1])), None, 2, 2, 2, 2)
        >>> FellowAnswers(votes).of_met(np.array([[1.0], [10.0]])).tolist()
        [[10.0], [1.0]]
        """
        told, turned, own = self._told
        met: np.ndarray = turned @ (told @ values) - own * values
        return met

    def of_others(self, values: np.ndarray) -> np.ndarray:
        """Of values [answers, any], what the other answers to the same unit add up to."""
        return self.per_unit(values)[self.unit] - values

    def per_unit(self, values: np.ndarray) -> np.ndarray:
        """Sums over the answers to each unit."""
        return _sums(self.unit, values, self.n_units)

    def per_annotator(self, values: np.ndarray) -> np.ndarray:
        """Sums over the answers of each annotator."""
        return _sums(self.annotator, values, self.n_annotators)


def _sums(codes: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Sums of rows by code, one column after the other: in numpy, on one thread."""
    columns = [np.bincount(codes, column, n) for column in values.T]
    return np.stack(columns, axis=1) if columns else np.zeros((n, 0))
