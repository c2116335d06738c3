"""Numbers: the label of a row is a finite number."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...errors import LabelError, ParameterError
from ..columns import missing_rows
from ..names import Names
from .answers import Answers
from .categorical import equal_to, refuse_infinite

__all__ = ["read", "read_numbers"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Numbers in float64; an abstention or an empty label is NaN, an infinite one an error.

    >>> answers = read(pl.Series(["1.5", "NA", None]), None, ("NA",))
    >>> answers.values.tolist(), answers.empty.tolist()
    ([1.5, nan, nan], [2])
    """
    if classes is not None:
        raise ParameterError("classes= goes with classes, not with kind='number'; leave it out")
    empty = missing_rows(column)
    return Answers(read_numbers(_without(column, equal_to(column, abstain))), None, empty)


def read_numbers(column: Any) -> np.ndarray:
    """A column as float64, NaN where empty; numbers given as text are read as numbers.

    >>> read_numbers(pl.Series(["1.5", "", "2"])).tolist()
    [1.5, nan, 2.0]
    """
    if isinstance(column, list):
        return _from_items(column)
    if column.dtype == pl.String:
        column = _from_text(column)
    if column.dtype == pl.Boolean:
        _refuse(column, int(column.is_not_null().arg_true()[0]))
    column = column.cast(pl.Float64)
    refuse_infinite(column)
    return np.array(column.fill_null(np.nan).to_numpy())


def _from_items(items: list[Any]) -> np.ndarray:
    """Integers beyond 64 bits, or things that are no numbers."""
    for row, item in enumerate(items):
        if item is not None and type(item) is not int:
            _refuse(items, row)
    return np.array([np.nan if item is None else float(item) for item in items])


def _refuse(items: Any, row: int) -> None:
    raise LabelError(
        f"label {items[row]!r} in row {row} is not a number (kind='number'): write it with "
        f"a decimal point, name it in abstain=, or use kind='class'",
        row,
    )


def _from_text(column: pl.Series) -> pl.Series:
    text = column.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() & text.is_not_null() & (text != "")).fill_null(False).arg_true()
    if len(wrong):
        _refuse(column, int(wrong[0]))
    return numbers


def _without(column: Any, abstained: np.ndarray) -> Any:
    if not abstained.any():
        return column
    if isinstance(column, list):
        return [None if silent else item for item, silent in zip(column, abstained, strict=True)]
    return column.to_frame("v").select(pl.when(~pl.Series(abstained)).then(pl.col("v")))["v"]
