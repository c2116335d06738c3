"""When each answer was given: the column that says so, as numbers that can be put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import ParameterError
from .header import MOMENTS

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["moment_column", "moments", "seconds_since_1970"]

YEAR_1973 = 1e8  # seconds: a `time` above is a point in time, one below a duration


def moment_column(labels: Annotations) -> str | None:
    """The column alongside that says when, if there is one.

    >>> from manyhands import Annotations
    >>> moment_column(Annotations.from_arrays([0], [0], ["x"], columns={"timestamp": [7.0]}))
    'timestamp'
    """
    named = {name.lower(): name for name in labels.columns}
    found = next((named[name] for name in MOMENTS if name in named), None)
    if found is not None or "time" not in named:
        return found
    values = moments(labels, named["time"])
    return named["time"] if len(values) and np.nanmedian([*values, 0.0]) > YEAR_1973 else None


def moments(labels: Annotations, when: str) -> np.ndarray:
    """[answers] the column as floats, nan where it is empty.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_arrays([0, 1], [0, 0], ["x", "y"], columns={"day": ["1970-01-02", None]})
    >>> moments(labels, "day").tolist()
    [86400.0, nan]
    """
    if when not in labels.columns:
        there = ", ".join(map(repr, labels.columns)) or "none"
        raise ParameterError(f"when={when!r} is no column alongside the labels; there are: {there}")
    values = labels.columns[when]
    series = seconds_since_1970(pl.Series(when, values.tolist() if values.dtype.kind == "O" else values))
    if not (series.dtype.is_numeric() or series.dtype == pl.Null):
        raise ParameterError(
            f"column {when!r} holds no times that can be read, such as {values[0]!r}: give numbers, or dates like "
            f"2026-11-19 14:05"
        )
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def seconds_since_1970(column: pl.Series) -> pl.Series:
    """Dates, and text that is all dates, as seconds; anything else as it is."""
    if column.dtype == pl.String:
        column = _dates(column)
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    if not isinstance(column.dtype, pl.Datetime):
        return column
    return column.dt.epoch("us").cast(pl.Float64) / 1e6


def _dates(column: pl.Series) -> pl.Series:
    """As points in time, where every entry can be read as one."""
    text = column.str.strip_chars()
    for form in ("%+", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%.f"):
        read = text.str.to_datetime(form, strict=False, time_unit="us", time_zone="UTC")
        if read.null_count() == column.null_count():
            return read
    days = text.str.to_date("%Y-%m-%d", strict=False)
    return days if days.null_count() == column.null_count() else column
