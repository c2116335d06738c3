"""Soft labels: the label of a row is a distribution over the classes, as a judge gives it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import LabelError, ParameterError
from ..columns import is_missing, sorted_names
from ..names import Names
from .answers import Answers

__all__ = ["read"]

TOLERANCE = 1e-3  # how far from 1 a distribution may sum, as rounded output of a judge does


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """A row of probabilities an answer, from dictionaries or from a matrix in class order.

    >>> read([{"no": .25, "yes": .75}, None], None, ()).values[0].tolist()
    [0.25, 0.75]
    """
    if isinstance(column, np.ndarray) or not any(isinstance(v, dict) for v in column):
        matrix, classes = _from_vectors(column, classes)
    else:
        matrix, classes = _from_dicts(column, classes)
    empty = np.flatnonzero(np.isnan(matrix).all(axis=1))
    _check(matrix, empty)
    return Answers(matrix.astype(np.float32), classes, empty)


def _from_vectors(column: Any, classes: Names | None) -> tuple[np.ndarray, Names]:
    widths = {len(v) for v in column if not _nothing(v)}
    if len(widths) > 1:
        raise LabelError(f"soft labels have {sorted(widths)} entries; give one a class in each row")
    width = widths.pop() if widths else len(classes or ())
    classes = Names.range(width) if classes is None else classes
    if len(classes) != width:
        raise ParameterError(f"soft labels have {width} entries but classes= names {len(classes)}")
    gap = [np.nan] * width
    return np.array([gap if _nothing(v) else v for v in column], float).reshape(-1, width), classes


def _from_dicts(column: Any, classes: Names | None) -> tuple[np.ndarray, Names]:
    if classes is None:
        classes = sorted_names(Names(dict.fromkeys(key for row in column if row for key in row)))
    matrix = np.full((len(column), len(classes)), np.nan)
    for row, value in enumerate(column):
        if _nothing(value):
            continue
        for key in value:
            if key not in classes:
                raise LabelError(f"row {row} gives a probability to {key!r}, which is not declared")
        matrix[row] = [value.get(name, 0.0) for name in classes]
    return matrix, classes


def _check(matrix: np.ndarray, empty: np.ndarray) -> None:
    wrong = (matrix < 0).any(axis=1) | ~(np.abs(matrix.sum(axis=1) - 1) <= TOLERANCE)
    wrong[empty] = False
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise LabelError(
            f"label {matrix[row].tolist()} in row {row} is not a distribution (it sums to "
            f"{matrix[row].sum():g}): probabilities must be non-negative and sum to 1"
        )


def _nothing(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(np.isnan(value).all())
    return is_missing(value) or value == {}
