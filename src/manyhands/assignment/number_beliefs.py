"""What is believed of numbers: one answer more lowers the variance, by how much is known before it is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["NumberBeliefs"]


@dataclass(frozen=True, eq=False)
class NumberBeliefs:
    """variance: of each task's number as believed; precision: of each annotator's answer.

    What an answer of precision p adds is known before it is given: v falls to 1 / (1 / v + p).
    """

    variance: np.ndarray
    precision: np.ndarray

    @property
    def n_tasks(self) -> int:
        """How many."""
        return len(self.variance)

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        return len(self.precision)

    def gains(self, tasks: np.ndarray) -> np.ndarray:
        """How far the variance falls."""
        v = self.variance[tasks][:, None]
        return v - v / (1 + v * self.precision)

    def ceiling(self) -> np.ndarray:
        """What the best annotator adds."""
        best = self.precision.max(initial=0.0)
        return self.variance - self.variance / (1 + self.variance * best)

    def outlook(self, task: int) -> NumberOutlook:
        """The task alone."""
        return NumberOutlook(float(self.variance[task]), self.precision)


@dataclass(frozen=True, eq=False)
class NumberOutlook:
    """The variance that is left."""

    variance: float
    precision: np.ndarray

    @property
    def exact(self) -> bool:
        """There is one future alone."""
        return True

    def gains(self) -> np.ndarray:
        """How far it falls."""
        return self.variance - self.variance / (1 + self.variance * self.precision)

    def after(self, annotator: int) -> NumberOutlook:
        """Precisions add up."""
        return NumberOutlook(self.variance / (1 + self.variance * self.precision[annotator]), self.precision)
