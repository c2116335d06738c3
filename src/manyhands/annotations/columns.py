"""One column of raw values: its type, its empty places, and its codes."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError, MissingLabelError, MixedTypesError
from .names import Names

__all__ = ["as_column", "encode", "is_missing", "missing_rows", "plain", "sorted_names"]

Column = pl.Series | list[Any]


def as_column(values: Any, what: str = "values") -> Column:
    """A polars column of integers, floats or text; or a list of anything else.

    >>> as_column(["a", None, "b"]).null_count()
    1
    """
    series = _as_series(values)
    if series is not None:
        return _settle(series)
    items = [plain(v) for v in values]
    found = [(type(v).__name__, row) for row, v in enumerate(items) if not is_missing(v)]
    types = dict(reversed(found))  # each type with the first row that has it
    if not types:
        return pl.Series([None] * len(items), dtype=pl.String)
    if set(types) == {"int", "float"}:  # 1 and 1.5 are of one type: numbers
        return pl.Series([None if is_missing(v) else float(v) for v in items], dtype=pl.Float64)
    if len(types) > 1:
        _refuse_mixed(types, items, what)
    return _from_items(items, next(iter(types)))


def _as_series(values: Any) -> pl.Series | None:
    if isinstance(values, pl.Series):
        return values
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iufUb":
        return pl.Series(values) if values.dtype.kind != "U" else pl.Series(values.tolist(), dtype=pl.String)
    if isinstance(values, Names):
        return None if values.to_list() and isinstance(values[0], tuple) else values.to_series()
    return None


def _settle(series: pl.Series) -> Column:
    if series.dtype.is_integer():
        return series.cast(pl.Int64)
    if series.dtype.is_float():
        return series.cast(pl.Float64)
    if series.dtype == pl.String:
        return series
    if series.dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    if series.dtype == pl.Null:
        return series.cast(pl.String)
    return series.to_list()


def _from_items(items: list[Any], type_name: str) -> Column:
    dtype = {"int": pl.Int64, "float": pl.Float64, "str": pl.String}.get(type_name)
    clean = [None if is_missing(v) else v for v in items]
    if dtype is None:
        return clean
    try:
        return pl.Series(clean, dtype=dtype)
    except (OverflowError, TypeError):  # an integer beyond 64 bits is as good a name as any
        return clean


def _refuse_mixed(types: dict[str, int], items: list[Any], what: str) -> None:
    found = "; ".join(f"{name} {items[row]!r} in row {row}" for name, row in sorted(types.items()))
    raise MixedTypesError(
        f"{what} are of several types: {found}. Give one type, for example by "
        f"[str(v) for v in values]: 1 and '1' would silently be two different names"
    )


def plain(value: Any) -> Any:
    """A numpy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """None, NaN, or text that is empty or only spaces."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def missing_rows(column: Column) -> np.ndarray:
    """The rows of a column that hold nothing."""
    if isinstance(column, list):
        return np.flatnonzero([is_missing(v) for v in column])
    mask = column.is_null()
    if column.dtype.is_float():
        mask |= column.is_nan().fill_null(False)
    if column.dtype == pl.String:
        mask |= (column.str.strip_chars() == "").fill_null(False)
    return mask.arg_true().to_numpy()


def encode(column: Column, what: str) -> tuple[Names, np.ndarray]:
    """Names in order of first appearance, and each row's code; nothing may be missing.

    >>> names, codes = encode(as_column(["b", "a", "b"]), "task ids")
    >>> names.to_list(), codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    empty = missing_rows(column)
    if len(empty):
        raise MissingLabelError(
            f"{what}: row {empty[0]} is empty{_and_more(len(empty))}. "
            f"Every answer needs its task and its annotator: fill it in or drop the row"
        )
    if isinstance(column, pl.Series) and column.dtype.is_float():
        column = _whole(column, what)
    if isinstance(column, pl.Series):
        names = Names.distinct(column.unique(maintain_order=True))
    else:
        _refuse_unhashable(column, what)
        names = Names(dict.fromkeys(column))
    return names, names.codes(column)


def sorted_names(names: Names) -> Names:
    """In the order of their values; text that is whole numbers goes by value, not by letters.

    The order of classes must not depend on the order of rows, so that shuffling rows changes
    nothing.

    >>> sorted_names(Names(["10", "9", "1"])).to_list()
    ['1', '9', '10']
    """
    values = names.to_list()
    digits = all(isinstance(v, str) and v.lstrip("-").isdecimal() for v in values)
    try:
        return Names(sorted(values, key=(lambda v: (int(v), v)) if digits else None))
    except TypeError:  # unordered hashables: by their text
        return Names(sorted(values, key=repr))


def _whole(column: pl.Series, what: str) -> pl.Series:
    """Floats that are whole numbers, as pandas makes of integers with a gap, are integers."""
    fraction = ((column % 1 != 0) | column.is_infinite()).arg_true()
    if len(fraction):
        row = int(fraction[0])
        raise LabelError(
            f"{what}: {column[row]!r} in row {row} is a number with decimals, which cannot be "
            f"a name; for numeric labels say kind='number', for ids give text or integers"
        )
    return column.cast(pl.Int64)


def _refuse_unhashable(column: list[Any], what: str) -> None:
    for row, value in enumerate(column):
        if not isinstance(value, Hashable):
            raise LabelError(f"{what}: {value!r} in row {row} is not hashable; give text, integers or tuples")


def _and_more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
