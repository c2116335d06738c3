"""Names from a column: which they are, in what order, and the code of each row."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError, MissingLabelError
from .columns import Column, as_column, missing_rows
from .lookup import store
from .names import Names

__all__ = ["declared", "encode", "fraction_row", "hint", "known_codes", "sorted_names", "whole"]

EXACT = 2.0**53  # beyond it floats skip integers
WHOLE_TEXT, NUMBER_TEXT = re.compile(r"-?\d+"), re.compile(r"-?\d*\.?\d+")


def encode(column: Column, what: str) -> tuple[Names, np.ndarray]:
    """Names in order of first appearance, and each row's code; nothing may be missing.

    >>> names, codes = encode(as_column(["b", "a", "b"]), "task ids")
    >>> names.to_list(), codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    column = whole(column, what)
    values = column.unique(maintain_order=True) if isinstance(column, pl.Series) else column
    if len(missing_rows(values)):
        refuse_empty(missing_rows(column), what)
    if isinstance(column, list):
        values = list(dict.fromkeys(store(column, what)))  # storing says which one is not hashable
    names = Names.distinct(store(values, what))
    return names, names.codes(column)


def refuse_empty(empty: np.ndarray, what: str) -> None:
    """Say which row has no id."""
    more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
    raise MissingLabelError(
        f"{what}: row {empty[0]} is empty{more}. "
        f"Every answer needs its task and its annotator: fill it in or drop the row",
        int(empty[0]),
    )


def known_codes(column: Column, names: Names, what: str) -> np.ndarray:
    """The codes of a column within declared names; a stranger is an error."""
    column = whole(column, what)
    codes = names.codes(column)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        empty = missing_rows(column)
        if len(empty):
            refuse_empty(empty, what)
        row = int(unknown[0])
        raise LabelError(
            f"{what}: {column[row]!r} in row {row} is not among the {len(names)} declared ones"
            f"{hint(names, column[row])}; add it there or drop the row",
            row,
        )
    return codes


def declared(values: Any, what: str) -> Names:
    """Names that the user lists: distinct, of one type, in an order.

    >>> declared([1.0, 2.0], "classes=")
    Names([1, 2])
    """
    if isinstance(values, (Names, range)):
        return Names(values, what)
    if isinstance(values, (set, frozenset)):
        raise LabelError(f"{what} is a set, which has no order; give a list, such as sorted({what[:-1]})")
    column = as_column(values, what)
    empty = missing_rows(column)
    if len(empty):
        raise MissingLabelError(f"{what}: entry {empty[0]} is empty; leave it out", int(empty[0]))
    if isinstance(column, pl.Series) and column.dtype.is_float() and fraction_row(column) is None:
        column = whole(column, what)
    return Names(column, what)


def whole(column: Column, what: str) -> Column:
    """Floats that are whole numbers, as pandas makes of integers with a gap, are integers."""
    if not isinstance(column, pl.Series) or not column.dtype.is_float():
        return column
    row = fraction_row(column)
    if row is not None:
        raise LabelError(
            f"{what}: {column[row]!r} in row {row} is not a whole number, so it cannot be a name; "
            f"give text or integers (for labels that are numbers say kind='number')",
            row,
        )
    return column.fill_nan(None).cast(pl.Int64)


def fraction_row(column: pl.Series) -> int | None:
    """The first row of a float column that holds no exact integer; an empty one is passed over."""
    odd = (column % 1 != 0) | (column.abs() > EXACT)
    rows = (odd & column.is_not_nan()).fill_null(False).arg_true()
    return int(rows[0]) if len(rows) else None


def sorted_names(names: Names) -> Names:
    """In the order of their values; text that is numbers goes by value, not by letters.

    The order of classes must not depend on the order of rows, so that shuffling rows changes
    nothing.

    >>> sorted_names(Names(["10", "9", "1"])).to_list()
    ['1', '9', '10']
    """
    values = names.to_list()
    key = _key(values)
    try:
        return Names(sorted(values, key=key))
    except TypeError:  # unordered hashables: by their text
        return Names(sorted(values, key=repr))


def _key(values: list[Any]) -> Callable[[Any], Any] | None:
    for pattern, number in ((WHOLE_TEXT, int), (NUMBER_TEXT, float)):
        if all(isinstance(v, str) and pattern.fullmatch(v) for v in values):
            return lambda v, number=number: (number(v), v)  # type: ignore[misc]
    return None


def hint(names: Names, value: Any) -> str:
    """What may be behind a name that nobody knows: 1 and "1" are two."""
    if not len(names) or names.are_text == isinstance(value, str):
        return ""
    return " (they are text, this is not)" if names.are_text else " (this is text, they are not)"
