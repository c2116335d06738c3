"""A wide matrix, one row a task and one column an annotator, as a list of its answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import LabelError, ParameterError
from .columns import is_missing, plain
from .encode import declared
from .names import Names

__all__ = ["Cells", "cells", "is_wide"]


class Cells(NamedTuple):
    """The answers of a matrix, where they stand, and what its sides are called."""

    row: np.ndarray
    column: np.ndarray
    label: Any
    shape: tuple[int, int]
    names: tuple[Any, Any]

    def named(self, given: Any, side: int) -> Names:
        """The names of one side: as given, or as the frame has them, or 0, 1, 2 ..."""
        what, size = ("tasks=", "annotators=")[side], self.shape[side]
        names = self.names[side] if given is None else given
        if names is None:
            return Names.range(size)
        names = declared(names, what)
        if len(names) != size:
            raise ParameterError(f"{what} has {len(names)} names, but the matrix has {size}")
        return names


def cells(matrix: Any, number: bool = False) -> Cells:
    """The answers of a matrix; NaN, None, empty text and -1 are none (for numbers, -1 is one).

    >>> cells([["a", None], [-1, "b"]]).label
    ['a', 'b']
    """
    wide = _as_array(matrix)
    rows, columns = np.nonzero(~_absent(wide, number))
    label: Any = wide[rows, columns]
    if wide.dtype.kind == "O":
        label = label.tolist()
    return Cells(rows, columns, label, (wide.shape[0], wide.shape[1]), _sides(matrix))


def is_wide(y: Any, kind: str | None = None) -> bool:
    """Whether a target is a matrix: two dimensions, or rows of equal length that are not labels themselves."""
    shape = getattr(y, "shape", None)
    if shape is not None:
        return len(shape) == 2 and kind != "soft"
    rows = isinstance(y, (list, tuple)) and len(y) > 0 and all(isinstance(row, (list, tuple)) for row in y)
    return rows and kind not in ("tags", "set", "soft") and len({len(row) for row in y}) == 1


def _as_array(matrix: Any) -> np.ndarray:
    if isinstance(matrix, (list, tuple)):
        return _from_rows(matrix)
    wide = np.asarray(matrix)
    if wide.ndim != 2:
        raise LabelError(f"a wide matrix has two dimensions (tasks, annotators), not {wide.ndim}")
    return wide


def _from_rows(rows: Any) -> np.ndarray:
    """Rows of anything; numpy would make text of numbers beside text, and more dimensions of lists."""
    items = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
    if not all(isinstance(row, (list, tuple)) for row in items):
        raise LabelError(
            "a wide matrix has two dimensions: give one list a task, with one entry an annotator"
        )
    width = len(items[0]) if items else 0
    wide = np.empty((len(items), width), dtype=object)
    for place, row in enumerate(items):
        if len(row) != width:
            raise LabelError(f"row {place} of the matrix has {len(row)} entries, those before {width}", place)
        for column, value in enumerate(row):
            wide[place, column] = value
    return wide


def _absent(wide: np.ndarray, number: bool) -> np.ndarray:
    if wide.dtype.kind == "f":
        return np.isnan(wide) if number else np.isnan(wide) | (wide == -1)
    if wide.dtype.kind in "iu" and not number:
        return np.asarray(wide == -1)
    if wide.dtype.kind in "iub":
        return np.zeros(wide.shape, dtype=bool)
    flat = [_nothing(plain(value), number) for value in wide.ravel().tolist()]
    return np.array(flat, dtype=bool).reshape(wide.shape)


def _nothing(value: Any, number: bool) -> bool:
    return is_missing(value) or (not number and type(value) in (int, float) and value == -1)


def _sides(matrix: Any) -> tuple[Any, Any]:
    """What a frame calls its rows (pandas, unless they are just numbered) and its columns."""
    if not hasattr(matrix, "columns"):
        return None, None
    index = getattr(matrix, "index", None)
    rows = None if index is None or type(index).__name__ == "RangeIndex" else list(index)
    names = getattr(matrix, "column_names", matrix.columns)  # pyarrow's `columns` are the data
    columns = None if type(names).__name__ == "RangeIndex" else list(names)
    return rows, columns
