"""Classes, ordered or not: the label of a row is one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...errors import UnknownClassError
from ..columns import encode, missing_rows, sorted_names
from ..names import Names
from .answers import ABSTAINED, Answers, smallest_codes

__all__ = ["class_codes", "equal_to", "read"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Class codes; -1 where the label is one of `abstain`."""
    column = _hashable(column, classes)
    empty = missing_rows(column)
    silent = np.isin(np.arange(len(column)), empty) | equal_to(column, abstain)
    codes = np.full(len(column), ABSTAINED, dtype=np.int32)
    spoken = np.flatnonzero(~silent)
    classes, codes[spoken] = class_codes(_at(column, spoken), classes, spoken)
    return Answers(smallest_codes(codes, len(classes)), classes, empty)


def class_codes(column: Any, classes: Names | None, rows: np.ndarray) -> tuple[Names, np.ndarray]:
    """Codes within the declared classes, or within those that occur, in order of their values."""
    if classes is None:
        classes = sorted_names(encode(column, "labels")[0])
    codes = classes.codes(column)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        shown = ", ".join(repr(c) for c in classes.to_list()[:8])
        raise UnknownClassError(
            f"label {column[int(unknown[0])]!r} in row {rows[unknown[0]]} is not among the declared "
            f"classes ({shown}{', ...' if len(classes) > 8 else ''}; {len(unknown)} such rows): "
            f"add it to classes=, name it in abstain=, or correct the row"
        )
    return classes, codes


def _hashable(column: Any, classes: Names | None) -> Any:
    """Numbers with decimals as classes (the user said so) are hashables; whole ones integers."""
    if isinstance(column, pl.Series) and column.dtype.is_float():
        known = column.drop_nulls().drop_nans()
        if bool((known % 1 == 0).all()) and not known.is_infinite().any():
            return column.fill_nan(None).cast(pl.Int64)
        return column.to_list()
    if isinstance(column, pl.Series) and column.dtype.is_integer() and _are_text(classes):
        return column.cast(pl.String)
    return column


def _are_text(classes: Names | None) -> bool:
    """Whether declared classes are the text of integers, as a command line gives them."""
    return bool(classes) and all(isinstance(c, str) for c in classes or ())


def equal_to(column: Any, abstain: tuple[Any, ...]) -> np.ndarray:
    """Which rows hold one of the words for an abstention."""
    if not abstain:
        return np.zeros(len(column), dtype=bool)
    return Names(dict.fromkeys(abstain)).codes(column) >= 0


def _at(column: Any, rows: np.ndarray) -> Any:
    if len(rows) == len(column):
        return column
    return column[rows] if isinstance(column, pl.Series) else [column[i] for i in rows]
