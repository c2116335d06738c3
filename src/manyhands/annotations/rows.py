"""The annotations of a table, one a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .kinds.answers import frozen

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["Rows", "rows_of"]


class Rows(NamedTuple):
    """One entry an annotation: the unit it is about, who said it, and what (a code or number)."""

    unit: np.ndarray
    annotator: np.ndarray
    label: np.ndarray


def rows_of(table: Annotations) -> Rows:
    """One entry a unit that was spoken of; where a task is one unit, the answers as they are."""
    if table.kind == "tags":
        return _of_tokens(table)
    if table.kind == "set":
        return _of_members(table)
    return Rows(table.task, table.annotator, table.answers.values)


def _of_tokens(table: Annotations) -> Rows:
    starts, values = table.answers.starts, table.answers.values
    assert starts is not None
    lengths = np.diff(starts)
    first = np.repeat(table.unit_offsets[table.task] - starts[:-1], lengths)
    unit = _narrow(first + np.arange(len(values)), table.n_units)
    return Rows(frozen(unit), frozen(np.repeat(table.annotator, lengths)), values)


def _of_members(table: Annotations) -> Rows:
    width = len(table.classes or ())
    unit = _narrow((table.task[:, None] * np.int64(width) + np.arange(width)).ravel(), table.n_units)
    return Rows(frozen(unit), frozen(np.repeat(table.annotator, width)), table.answers.values.ravel())


def _narrow(unit: np.ndarray, size: int) -> np.ndarray:
    return unit.astype(np.int32 if size < 2**31 else np.int64)
