"""Soft labels: the label of a row is a distribution over the classes, as a judge gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import LabelError, ParameterError, UnknownClassError
from ..columns import SEQUENCES, is_missing
from ..encode import hint, sorted_names
from ..names import Names
from .answers import Answers

__all__ = ["read"]

TOLERANCE = 1e-3  # how far from 1 a distribution may sum, as rounded output of a judge does


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """A row of probabilities an answer, from dictionaries or from vectors in class order.

    A class that a dictionary leaves out has no probability.

    >>> read([{"no": .25, "yes": .75}, None], None, ()).values[0].tolist()
    [0.25, 0.75]
    """
    if abstain:
        raise ParameterError(
            "abstain= goes with labels, not with distributions; give None and missing='abstain'"
        )
    if isinstance(column, np.ndarray):
        classes = Names.range(column.shape[1]) if classes is None else classes
        matrix = _of_width(_as_floats(column), classes)
    else:
        items = [None if _nothing(value) else value for value in column]
        from_dicts = any(isinstance(value, Mapping) for value in items)
        matrix, classes = (_from_dicts if from_dicts else _from_vectors)(items, classes)
    empty = np.flatnonzero(np.isnan(matrix).all(axis=1))
    _check(matrix, empty)
    return Answers(matrix.astype(np.float32), classes, empty)


def _from_vectors(items: list[Any], classes: Names | None) -> tuple[np.ndarray, Names]:
    width = next((len(_vector(v, r)) for r, v in enumerate(items) if v is not None), len(classes or ()))
    classes = Names.range(width) if classes is None else classes
    matrix = np.full((len(items), width), np.nan)
    for row, value in enumerate(items):
        if value is None:
            continue
        if len(_vector(value, row)) != width:
            raise LabelError(
                f"the soft label in row {row} has {len(value)} entries, others have {width}; give one a class",
                row,
            )
        matrix[row] = [_number(p, row) for p in value]
    return _of_width(matrix, classes), classes


def _vector(value: Any, row: int) -> Any:
    if isinstance(value, SEQUENCES):
        return value
    raise LabelError(
        f"label {value!r} in row {row} is not a distribution (kind='soft'): give a dictionary of "
        f"probabilities, or a list with one a class",
        row,
    )


def _as_floats(matrix: np.ndarray) -> np.ndarray:
    if matrix.dtype.kind in "iufb":
        return matrix.astype(np.float64)
    return np.array(
        [[_number(p, row) for p in values] for row, values in enumerate(matrix.tolist())]
    ).reshape(matrix.shape)


def _of_width(matrix: np.ndarray, classes: Names) -> np.ndarray:
    if matrix.shape[1] != len(classes):
        raise ParameterError(f"soft labels have {matrix.shape[1]} entries but classes= names {len(classes)}")
    return matrix


def _from_dicts(items: list[Any], classes: Names | None) -> tuple[np.ndarray, Names]:
    if classes is None:
        keys = dict.fromkeys(key for row in items if isinstance(row, Mapping) for key in row)
        classes = sorted_names(Names(keys))
    places = {name: code for code, name in enumerate(classes)}
    if not classes.are_text:  # a frame or JSON has only text for keys
        places |= {str(name): code for name, code in places.items()}
    matrix = np.full((len(items), len(classes)), np.nan)
    for row, value in enumerate(items):
        if value is not None:
            matrix[row] = 0
            _fill(matrix[row], value, row, places, classes)
    return matrix, classes


def _fill(into: np.ndarray, value: Any, row: int, places: dict[Any, int], classes: Names) -> None:
    if not isinstance(value, Mapping):
        raise LabelError(f"label {value!r} in row {row} is not a dictionary, but other labels are", row)
    for key, probability in value.items():
        if key not in places:
            raise UnknownClassError(
                f"the label in row {row} gives a probability to {key!r}, which is not among the declared "
                f"classes{hint(classes, key)}: add it to classes=, or correct the row",
                row,
            )
        into[places[key]] = 0 if probability is None else _number(probability, row)


def _number(value: Any, row: int) -> float:
    try:
        return float("nan" if value is None else value)
    except (TypeError, ValueError):
        raise LabelError(
            f"probability {value!r} in row {row} is not a number; correct the row", row
        ) from None


def _check(matrix: np.ndarray, empty: np.ndarray) -> None:
    wrong = (matrix < 0).any(axis=1) | ~(np.abs(matrix.sum(axis=1) - 1) <= TOLERANCE)
    wrong[empty] = False
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise LabelError(
            f"label {matrix[row].tolist()} in row {row} is not a distribution (it sums to "
            f"{matrix[row].sum():g}): probabilities must be non-negative and sum to 1",
            row,
        )


def _nothing(value: Any) -> bool:
    """Nothing at all, or a distribution of nothings, as a frame makes of a missing record."""
    if isinstance(value, Mapping):
        return all(is_missing(p) for p in value.values())
    if isinstance(value, SEQUENCES):
        return all(is_missing(p) for p in value)
    return is_missing(value)
