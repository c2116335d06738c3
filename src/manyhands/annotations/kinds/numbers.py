"""Numbers: the label of a row is a finite number."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...errors import LabelError, ParameterError
from ..columns import missing_rows
from ..names import Names
from .answers import Answers
from .categorical import equal_to

__all__ = ["read", "read_numbers"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Numbers in float64; an abstention or an empty label is NaN, an infinite one an error."""
    if classes is not None:
        raise ParameterError("classes= goes with classes, not with kind='number'; leave it out")
    empty = missing_rows(column)
    abstained = equal_to(column, abstain)
    values = read_numbers(_without(column, abstained))
    silent = np.setdiff1d(np.flatnonzero(np.isnan(values)), empty)
    values[silent] = np.nan
    return Answers(values, None, empty)


def read_numbers(column: Any) -> np.ndarray:
    """A column as float64, NaN where empty; numbers given as text are read as numbers.

    >>> read_numbers(pl.Series(["1.5", "", "2"])).tolist()
    [1.5, nan, 2.0]
    """
    if isinstance(column, list):
        row = next((r for r, v in enumerate(column) if v is not None), 0)
        raise LabelError(f"label {column[row]!r} in row {row} is not a number (kind='number')")
    if column.dtype == pl.String:
        column = _from_text(column)
    values = column.cast(pl.Float64).to_numpy(writable=True)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise LabelError(
            f"label {values[infinite[0]]} in row {infinite[0]} is infinite: no mean would be "
            f"finite; correct it or drop the row"
        )
    return values


def _from_text(column: pl.Series) -> pl.Series:
    text = column.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() & text.is_not_null() & (text != "")).fill_null(False).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise LabelError(
            f"label {column[row]!r} in row {row} is not a number (kind='number'): write it with "
            f"a decimal point, name it in abstain=, or use kind='class'"
        )
    return numbers


def _without(column: Any, abstained: np.ndarray) -> Any:
    if not abstained.any():
        return column
    return column.to_frame("v").select(pl.when(~pl.Series(abstained)).then(pl.col("v")))["v"]
