"""One column of raw values, whatever it came in: its type, its empty places, its stated classes."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from ..errors import LabelError, MixedTypesError

__all__ = ["SEQUENCES", "Column", "as_column", "is_missing", "missing_rows", "plain", "stated_classes"]

# Integers of any width, Float64, String or Boolean; or a list of anything else.
Column = pl.Series | list[Any]

# Which of these a label may be is for its kind to say.
ALIKE = dict.fromkeys((tuple, list, np.ndarray, pl.Series, set, frozenset, dict), "collection")
SEQUENCES = (list, tuple, np.ndarray, pl.Series)
WORDS: dict[type, Any] = {str: pl.String, bool: pl.Boolean, int: pl.Int64}


def as_column(values: Any, what: str = "values") -> Column:
    """A polars column of integers, floats, text or booleans; or a list of anything else.

    Arrays are looked at, not copied: what is kept is always made anew further down.

    >>> as_column(["a", None, "b"]).null_count()
    1
    """
    _refuse_scalar(values, what)
    if isinstance(values, pl.Series):
        return _settle(values, what)
    series = None if isinstance(values, (list, tuple)) else _from_array(values)
    if series is not None:
        return _settle(series, what)
    items = _items(values)
    types = set(map(type, items))
    if any(issubclass(t, np.generic) for t in types):
        items = [plain(v) for v in items]
        types = set(map(type, items))
    if not types <= set(WORDS):
        items = [None if is_missing(v) and not isinstance(v, str) else v for v in items]
        types = set(map(type, items))
    return _from_items(items, types - {type(None)}, what)


def _refuse_scalar(values: Any, what: str) -> None:
    shape = getattr(values, "shape", (0,))
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") or len(shape) != 1:
        shown = f"an array of shape {tuple(shape)}" if hasattr(values, "shape") else repr(values)[:60]
        raise LabelError(f"{what} must be one column (a list, array or series), not {shown}")


def _from_array(values: Any) -> pl.Series | None:
    """Numbers in arrays, also those of pandas, pyarrow and their like; None for anything else."""
    if not isinstance(values, np.ndarray):
        return _from_library(values)
    if values.dtype.kind == "U":
        return pl.Series(values.tolist(), dtype=pl.String)
    if values.dtype.kind == "f":
        return pl.Series(values.astype(np.float64, copy=False))
    return pl.Series(values) if values.dtype.kind in "iub" else None


def _from_library(values: Any) -> pl.Series | None:
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return _from_array(np.asarray(values)) if hasattr(values, "__array__") else None
    if type(values).__module__.startswith("pyarrow"):
        return pl.Series(values)
    if series.dtype.is_float():
        return pl.Series(series.to_numpy().astype(np.float64, copy=False))
    if not series.dtype.is_integer() and series.dtype != nw.Boolean:
        return None
    empty = series.is_null().to_numpy()
    if not empty.any():
        return pl.Series(series.to_numpy())
    # Filled first: integers with a gap would come as floats, and large ones would change.
    filled = pl.Series(series.fill_null(0 if series.dtype.is_integer() else False).to_numpy())
    return filled.to_frame("v").select(pl.when(~pl.Series(empty)).then(pl.col("v")))["v"]


def _items(values: Any) -> list[Any]:
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "Mm":  # in nanoseconds, tolist gives bare integers
        fine = np.datetime_data(dtype)[0] in ("ns", "ps", "fs", "as")
        values = np.asarray(values).astype(f"{dtype.kind}8[us]") if fine else np.asarray(values)
    items: list[Any] = values.tolist() if hasattr(values, "tolist") else list(values)
    return items


def _settle(series: pl.Series, what: str) -> Column:
    dtype = series.dtype
    if dtype in (pl.UInt64, pl.Int128):
        return _settle_wide(series)
    if dtype.is_integer() or dtype in (pl.String, pl.Boolean, pl.Float64):
        return series
    if dtype.is_float() or dtype.is_decimal():
        return series.cast(pl.Float64)
    if dtype in (pl.Categorical, pl.Enum, pl.Null):
        return series.cast(pl.String)
    if dtype == pl.Object:
        return as_column(series.to_list(), what)
    return _to_list(series, what)


def _to_list(series: pl.Series, what: str) -> list[Any]:
    try:
        return series.to_list()
    except (ValueError, OverflowError, pl.exceptions.PanicException):  # dates beyond the year 9999
        raise LabelError(
            f"{what} of type {series.dtype} hold a value that Python cannot; give text"
        ) from None


def _settle_wide(series: pl.Series) -> Column:
    try:
        return series.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError:
        return series.to_list()


def _from_items(items: list[Any], types: set[type], what: str) -> Column:
    if not types:
        return pl.Series([None] * len(items), dtype=pl.String)
    if types <= {int, float, Decimal} and types != {int}:  # 1 and 1.5 are of one type: numbers
        return pl.Series([None if v is None else float(v) for v in items], dtype=pl.Float64)
    if len({ALIKE.get(t, t) for t in types}) > 1:
        if str in types and all(is_missing(v) for v in items if type(v) is str):  # blank text beside others
            return _from_items([None if type(v) is str else v for v in items], types - {str}, what)
        _refuse_mixed(items, what)
    dtype = WORDS.get(next(iter(types)))
    if dtype is None:
        return items
    try:
        return pl.Series(items, dtype=dtype)
    except (OverflowError, TypeError):  # an integer beyond 64 bits is as good a name as any
        return items


def _refuse_mixed(items: list[Any], what: str) -> None:
    first = next(v for v in items if not is_missing(v))
    kind = _alike(first)
    row = next(r for r, v in enumerate(items) if not is_missing(v) and _alike(v) != kind)
    raise MixedTypesError(
        f"{what} are of several types: {items[row]!r} in row {row} is of type {type(items[row]).__name__}, "
        f"but before it stands {first!r} of type {type(first).__name__}. Give one type, for example by "
        f"[str(v) for v in values]: 1 and '1' would silently be two different names",
        row,
    )


def _alike(value: Any) -> Any:
    return ALIKE.get(type(value), type(value))


def plain(value: Any) -> Any:
    """A numpy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT, or text that is empty or only spaces."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, str):
        return not value.strip()
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def missing_rows(column: Column) -> np.ndarray:
    """The rows of a column that hold nothing."""
    if isinstance(column, list):
        return np.flatnonzero([is_missing(v) for v in column])
    mask = column.is_null()
    if column.dtype.is_float():
        mask |= column.is_nan().fill_null(False)
    if column.dtype == pl.String and _has_blank(column):
        mask |= (column.str.strip_chars() == "").fill_null(False)
    return mask.arg_true().to_numpy().astype(np.int64)


def _has_blank(column: pl.Series) -> bool:
    """Whether any text is only spaces; stripping is dear, so distinct texts are asked."""
    return bool((column.unique().str.strip_chars() == "").any())


def stated_classes(values: Any) -> list[Any] | None:
    """The classes that a column states by its type, in their order: those of categories.

    A polars Categorical has only the order in which its values came, which states nothing.

    >>> stated_classes(pl.Series(["lo"], dtype=pl.Enum(["lo", "hi"])))
    ['lo', 'hi']
    """
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, pl.List):
        dtype = dtype.inner
    if isinstance(dtype, pl.Enum):
        return dtype.categories.to_list()
    if type(dtype).__name__ == "CategoricalDtype":  # pandas
        return [plain(value) for value in dtype.categories]  # type: ignore[union-attr]
    return None
