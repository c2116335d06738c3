"""Stretches of simulated tasks, which can be cut and joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..annotations import starts_of

__all__ = ["Piece", "join"]


@dataclass(frozen=True)
class Piece:
    """Consecutive tasks; `columns` maps (axis, name) to an array along that axis.

    The axes are task, answer, unit (of each task) and value (of each answer: one, or for tags
    one a token).
    """

    sizes: Mapping[str, np.ndarray]  # axis -> [tasks] how many entries each task has
    columns: Mapping[tuple[str, str], np.ndarray]

    @cached_property
    def _starts(self) -> dict[str, np.ndarray]:
        return {axis: starts_of(counts) for axis, counts in self.sizes.items()}

    def cut(self, start: int, end: int) -> Piece:
        """The tasks from start to end."""
        n_tasks = len(self.sizes["task"])
        if start == 0 and end == n_tasks:
            return self
        bounds = {axis: starts[[start, end]] for axis, starts in self._starts.items()}
        sizes = {axis: counts[start:end] for axis, counts in self.sizes.items()}
        columns = {key: values[slice(*bounds[key[0]])] for key, values in self.columns.items()}
        return Piece(sizes, columns)

    def along(self, axis: str) -> dict[str, np.ndarray]:
        """The columns along one axis by name."""
        return {name: values for (of, name), values in self.columns.items() if of == axis}


def join(pieces: Sequence[Piece]) -> Piece:
    """Pieces one after another.

    >>> one = Piece({"task": np.ones(2, int)}, {("task", "easiness"): np.array([1.0, 2.0])})
    >>> join([one, one.cut(0, 1)]).along("task")["easiness"].tolist()
    [1.0, 2.0, 1.0]
    """
    if len(pieces) == 1:
        return pieces[0]
    sizes = {axis: np.concatenate([p.sizes[axis] for p in pieces]) for axis in pieces[0].sizes}
    columns = {key: np.concatenate([p.columns[key] for p in pieces]) for key in pieces[0].columns}
    return Piece(sizes, columns)
