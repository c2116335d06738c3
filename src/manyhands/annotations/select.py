"""Part of a table: some of its tasks, or some of its answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError, ParameterError
from .ragged import segment_index

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["positions", "take", "where"]


def positions(index: Any, size: int) -> np.ndarray:
    """The places that an index stands for, as numpy reads it.

    >>> positions(slice(None, None, -1), 3).tolist(), positions([True, False, True], 3).tolist()
    ([2, 1, 0], [0, 2])
    """
    named = [index] if isinstance(index, str) else index
    named = named.tolist() if isinstance(named, np.ndarray) and named.dtype.kind in "UO" else named
    if isinstance(named, (list, tuple)) and any(isinstance(i, str) for i in named):
        raise TypeError(
            f"select tasks by position, slice or mask; by name with labels.align({list(named)!r})"
        )
    if isinstance(index, (list, tuple)) and not len(index):
        return np.empty(0, dtype=np.int64)
    if isinstance(index, (int, np.integer)):
        return np.array([range(size)[index]])
    return np.atleast_1d(np.arange(size)[index])


def take(table: Annotations, chosen: np.ndarray) -> Annotations:
    """The tasks at these positions, in this order."""
    chosen = _within(np.asarray(chosen, dtype=np.int64), table)
    places, starts = segment_index(table.task_starts, chosen)
    units, unit_starts = segment_index(table.unit_offsets, chosen)
    return replace(
        table,
        tasks=table.tasks.take(chosen),
        task=np.repeat(np.arange(len(chosen), dtype=np.int32), np.diff(starts)),
        annotator=table.annotator[places],
        answers=table.answers.take(places),
        unit_starts=None if table.unit_starts is None else unit_starts,
        truth=None if table.truth is None else table.truth[units],
        columns={name: values[places] for name, values in table.columns.items()},
    )


def _within(chosen: np.ndarray, table: Annotations) -> np.ndarray:
    """Positions counted from the front, each at most once: two tasks cannot have one name."""
    size = table.n_tasks
    if len(chosen) and not -size <= chosen.min() <= chosen.max() < size:
        wrong = next(int(i) for i in chosen if not -size <= i < size)
        raise IndexError(f"there is no task at position {wrong}: there are {size}")
    chosen = np.where(chosen < 0, chosen + size, chosen)
    if len(chosen) > 1:
        ordered = np.sort(chosen)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(twice):
            raise LabelError(
                f"task {table.tasks[int(twice[0])]!r} is chosen twice, but tasks of a table are distinct; "
                f"choose it once (to resample, weigh: sample_weight= in fit)"
            )
    return chosen


def where(table: Annotations, mask: np.ndarray) -> Annotations:
    """The answers where the mask is true, with all tasks, annotators and classes kept."""
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != (table.n_answers,):
        raise ParameterError(
            f"the mask must hold true or false for each of {table.n_answers} answers, "
            f"not {mask.dtype} of shape {mask.shape}"
        )
    return replace(
        table,
        task=table.task[mask],
        annotator=table.annotator[mask],
        answers=table.answers.take(mask),
        columns={name: values[mask] for name, values in table.columns.items()},
    )
