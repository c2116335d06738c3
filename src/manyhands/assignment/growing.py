"""An array that more rows are added to."""

from __future__ import annotations

import numpy as np

__all__ = ["Growing"]


class Growing:
    """Room is doubled where it is full, so that one row more costs next to nothing.

    >>> growing = Growing(np.eye(2))
    >>> growing.append(np.array([5.0, 6.0]))
    >>> growing.rows.shape
    (3, 2)
    """

    def __init__(self, rows: np.ndarray):
        self._room, self._n = np.array(rows, dtype=np.float64), len(rows)

    @property
    def rows(self) -> np.ndarray:
        """Those that are there, to be changed in place."""
        return self._room[: self._n]

    def append(self, row: np.ndarray) -> None:
        """One more."""
        if self._n == len(self._room):
            more = np.zeros((max(8, self._n), *row.shape))
            self._room = np.concatenate([self._room, more])
        self._room[self._n] = row
        self._n += 1
