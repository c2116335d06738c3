"""Python values as a column: typed where they are of one type, else as they are."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["series_of"]

SCALARS: dict[type, Any] = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}


def series_of(name: str, values: list[Any]) -> pl.Series:
    """A polars column; objects and mixed values stay Python objects, so that nothing is made up.

    polars would give every dictionary the keys of all others, and read 1 and "1" as one.

    >>> series_of("label", [1, None, 2.5]).dtype, series_of("label", [{"a": 1}, {}]).dtype
    (Float64, Object)
    """
    dtype = _dtype(values)
    try:
        return pl.Series(name, values, dtype=dtype)
    except (TypeError, OverflowError, ValueError, pl.exceptions.PolarsError):  # integers beyond 64 bits
        return pl.Series(name, values, dtype=pl.Object)


def _dtype(values: list[Any]) -> Any:
    types = set(map(type, values)) - {type(None)}
    if not types:
        return pl.Null
    if types == {int, float}:
        return pl.Float64
    if len(types) > 1:
        return pl.Object
    only = types.pop()
    if only is list:
        inner = _dtype([item for value in values if value is not None for item in value])
        return pl.Object if inner == pl.Object else pl.List(inner)
    return SCALARS.get(only, pl.Object)
