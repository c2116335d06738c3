"""What is believed of each truth: chances of classes, or a mean with a deviation."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

__all__ = ["ClassPosterior", "NumberPosterior", "Posterior"]


@dataclass(frozen=True, eq=False)
class ClassPosterior:
    """chances: [units, classes], rows sum to one."""

    chances: np.ndarray

    def best(self) -> np.ndarray:
        """The likeliest class of each unit; the first in class order where several are."""
        return self.chances.argmax(axis=1)

    def given(self, known: np.ndarray) -> ClassPosterior:
        """With the truths that are told: codes, -1 where unknown.

        >>> ClassPosterior(np.array([[.3, .7], [.3, .7]])).given(np.array([0, -1])).chances.tolist()
        [[1.0, 0.0], [0.3, 0.7]]
        """
        told = known >= 0
        chances = self.chances.copy()
        chances[told] = np.eye(chances.shape[1], dtype=chances.dtype)[known[told]]
        return ClassPosterior(chances)

    def confidence(self) -> np.ndarray:
        """The chance of the likeliest class."""
        return self.chances.max(axis=1, initial=0.0)

    def entropy(self) -> np.ndarray:
        """In nats; 0 where nothing is in doubt."""
        p = self.chances.astype(np.float64)
        return -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=1)


@dataclass(frozen=True, eq=False)
class NumberPosterior:
    """mean and sd, [units]; NaN where the method cannot say."""

    mean: np.ndarray
    sd: np.ndarray

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Between what numbers each truth lies, with that chance, were the error normal.

        >>> NumberPosterior(np.array([5.0]), np.array([1.0])).interval()[1].round(2).tolist()
        [6.96]
        """
        wide = NormalDist().inv_cdf((1 + level) / 2) * self.sd
        return self.mean - wide, self.mean + wide

    def given(self, known: np.ndarray) -> NumberPosterior:
        """With the truths that are told: numbers, NaN where unknown."""
        told = ~np.isnan(known)
        return NumberPosterior(np.where(told, known, self.mean), np.where(told, 0.0, self.sd))


Posterior = ClassPosterior | NumberPosterior
