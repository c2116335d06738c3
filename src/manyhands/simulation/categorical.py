"""Drawing codes from rows of probabilities, and truths with their features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .people import Tasks
from .size import Size

__all__ = ["RowDraws", "class_tasks"]


@dataclass(frozen=True)
class RowDraws:
    """Draws from the rows of a table of probabilities, any row as often as asked.

    >>> draws = RowDraws.of(np.array([[0.0, 1.0], [0.5, 0.5]]))
    >>> draws(np.zeros(3, dtype=int), np.random.default_rng(0).random(3)).tolist()
    [1, 1, 1]
    """

    ends: np.ndarray  # [rows * columns] cumulated, the last of each row exactly 1
    columns: int

    @classmethod
    def of(cls, probabilities: np.ndarray) -> RowDraws:
        """From [..., columns]; rows are numbered over all axes but the last."""
        ends = np.cumsum(probabilities, axis=-1)
        ends /= ends[..., -1:]  # also makes what follows the last chance above 0 exactly 1
        return cls(ends.ravel(), probabilities.shape[-1])

    def __call__(self, row: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        """For each row the code whose stretch of [0, 1) holds the uniform number.

        A search by halving, all rows at once: log2 K reads a draw instead of K.
        """
        first = row.astype(np.int64) * self.columns
        found = np.zeros(len(row), dtype=np.int64)
        step = 1 << max(self.columns - 1, 0).bit_length()
        while step := step >> 1:
            end = first + np.minimum(found + step, self.columns) - 1
            found += step * (self.ends[end] <= uniform)
        return found


def class_tasks(size: int, about: Size, rng: np.random.Generator, given: np.ndarray | None) -> Tasks:
    """Tasks of one unit each: truths by the prior (or as given), features by the truth."""
    if given is None:
        one_row = RowDraws.of(about.prior[None])
        given = one_row(np.zeros(size, dtype=np.int64), rng.random(size))
    features = None if about.gaussians is None else about.gaussians.draw(given, rng)
    return Tasks(given.astype(np.int32), features=features)
