"""How names are stored, and the code of every value of a column, at the speed of a column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError
from .ragged import blocks

__all__ = ["Stored", "codes_in", "store"]

Stored = range | pl.Series | tuple[Hashable, ...]  # a column is of Int64 or String


def store(values: Iterable[Any], what: str) -> Stored:
    """A range for 0, 1, 2 ..., a column of integers or text, or a tuple of other hashables.

    >>> store(["a", "b"], "names").dtype, store([(1, 2), 3.5], "names")
    (String, ((1, 2), 3.5))
    """
    if isinstance(values, range) and values == range(len(values)):
        return values
    if isinstance(values, pl.Series):
        return _store_column(values)
    if isinstance(values, str):
        raise LabelError(f"{what} must be a list, not the text {values!r}; write [{values!r}]")
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if any(isinstance(item, np.generic) for item in items):
        items = [item.item() if isinstance(item, np.generic) else item for item in items]
    return _store_items(items, what)


def _store_column(values: pl.Series) -> Stored:
    if values.dtype.is_integer():
        try:
            return values.cast(pl.Int64)
        except pl.exceptions.InvalidOperationError:  # beyond 63 bits
            return tuple(values.to_list())
    if values.dtype in (pl.Categorical, pl.Enum):
        return values.cast(pl.String)
    return values if values.dtype == pl.String else tuple(values.to_list())


def _store_items(items: list[Any], what: str) -> Stored:
    types = set(map(type, items))
    if types <= {str}:
        return pl.Series(items, dtype=pl.String)
    if types == {int}:
        try:
            return pl.Series(items, dtype=pl.Int64)
        except (OverflowError, TypeError):  # beyond 64 bits: as good a name as any
            return tuple(items)
    for row, item in enumerate(items):
        try:
            hash(item)
        except TypeError:
            raise LabelError(
                f"{what}: {item!r} in row {row} is not hashable; give text, integers or tuples", row
            ) from None
    return tuple(items)


def codes_in(column: pl.Series, names: Stored) -> np.ndarray:
    """The place of each value of a column among the names, -1 where it has none.

    >>> codes_in(pl.Series([7, 5, 6], dtype=pl.Int8), pl.Series([5, 7])).tolist()
    [1, 0, -1]
    """
    is_number = column.dtype.is_integer()
    if isinstance(names, tuple) or not (is_number or column.dtype == pl.String):
        return _by_value(column, names)
    if is_number != (isinstance(names, range) or names.dtype.is_integer()):
        return np.full(len(column), -1, np.int32)
    if not is_number or column.null_count() or not len(names):
        return _by_join(column, _as_series(names))
    if isinstance(names, range):
        return _within(column.to_numpy(), len(names))
    low, high = int(names.min()), int(names.max())  # type: ignore[arg-type]
    if high - low <= 4 * len(column) + 1000:
        return _by_table(column.to_numpy(), names.to_numpy(), low, high)
    return _by_join(column, names)


def _as_series(names: range | pl.Series) -> pl.Series:
    return names if isinstance(names, pl.Series) else pl.Series(np.arange(len(names)))


def _within(values: np.ndarray, size: int) -> np.ndarray:
    """Whole numbers that are their own codes; always a copy, for the values may be the caller's."""
    if not len(values) or (values.min() >= 0 and values.max() < size):
        return values.astype(np.int32)
    codes = values.astype(np.int32)
    codes[(values < 0) | (values >= size)] = -1
    return codes


def _by_table(values: np.ndarray, names: np.ndarray, low: int, high: int) -> np.ndarray:
    """By a table from every possible integer to its code."""
    table = np.full(high - low + 2, -1, dtype=np.int32)  # the last place is for strangers
    table[names - low] = np.arange(len(names), dtype=np.int32)
    codes = np.empty(len(values), dtype=np.int32)
    for part in blocks(len(values)):
        piece = values[part].astype(np.int64)  # wide enough for every difference
        known = (piece >= low) & (piece <= high)
        codes[part] = table[np.where(known, np.where(known, piece, low) - low, high - low + 1)]
    return codes


def _by_join(column: pl.Series, names: pl.Series) -> np.ndarray:
    if column.dtype.is_integer():
        column = pl.Series(column.cast(pl.Int64, strict=False))
    left = column.alias("name").to_frame()
    right = names.alias("name").to_frame().with_row_index("code")
    codes = left.join(right, on="name", how="left", maintain_order="left")["code"]
    return codes.cast(pl.Int32).fill_null(-1).to_numpy(writable=True)


def _by_value(column: pl.Series, names: Stored) -> np.ndarray:
    """Through a dictionary, asked once for each distinct value."""
    places = {value: place for place, value in enumerate(names)}
    values = column.unique()
    if len(values) >= len(column) // 2 or column.dtype.is_nested():
        return np.fromiter((places.get(v, -1) for v in column), np.int32, len(column))
    codes = pl.Series([places.get(v, -1) for v in values], dtype=pl.Int32)
    return column.replace_strict(values, codes, return_dtype=pl.Int32).to_numpy(writable=True)
