"""Ids as codes while they are read: one column of text in memory at a time, and hashed once.

Text takes 16 bytes a row and more in polars, a code takes 4; at fifty million rows that is the
difference between fitting into a laptop and not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..annotations import Annotations, Names
from .request import Request

__all__ = ["Coded", "CodedLabels", "code", "code_labels"]

BLOCK = 1 << 22


class Coded(NamedTuple):
    """Names in order of first appearance, and the code of each row."""

    names: Names
    codes: np.ndarray


def code(column: pl.Series) -> Coded | None:
    """The codes of a column of text or integers; None where there is anything to complain about.

    >>> coded = code(pl.Series(["b", "a", "b"]))
    >>> coded.names.to_list(), coded.codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    is_text = column.dtype == pl.String
    if not (is_text or (column.dtype.is_integer() and column.dtype not in (pl.UInt64, pl.Int128))):
        return None
    if column.null_count() or not len(column):
        return None
    if not is_text:
        numbers = _code_numbers(column.to_numpy())
        if numbers is not None:
            return numbers
    hashes = column.hash()
    first = hashes.arg_unique()
    names = column.gather(first)
    if is_text and names.str.strip_chars().eq("").any():
        return None
    codes = _places(hashes, hashes.gather(first))
    del hashes
    if not _agrees(column, names, codes):
        return None
    return Coded(Names.distinct(names if is_text else names.cast(pl.Int64)), codes)


def _code_numbers(values: np.ndarray) -> Coded | None:
    """By a table as long as the range of the integers; None where that is longer than the column.

    A sixth of the time and a third of the memory of hashing.
    """
    low, high = int(values.min()), int(values.max())
    if high - low > len(values) + BLOCK or len(values) > np.iinfo(np.int32).max:
        return None
    wide = values if values.itemsize >= 4 else values.astype(np.int32)  # 127 - -128 is no int8
    places = (wide if low == 0 else wide - wide.dtype.type(low)).astype(np.int32, copy=False)
    first = np.full(high - low + 1, len(values), dtype=np.int32)
    first[places[::-1]] = np.arange(len(values) - 1, -1, -1, dtype=np.int32)  # the last one written stays
    found = np.flatnonzero(first < len(values))
    found = found[np.argsort(first[found])]
    first[found] = np.arange(len(found), dtype=np.int32)
    return Coded(Names.distinct(pl.Series(found + low, dtype=pl.Int64)), first[places])


class CodedLabels(NamedTuple):
    """Codes of classes (-1: cannot say), the classes, and how such codes are to be understood."""

    codes: pl.Series
    classes: Names | None
    options: dict[str, Any]


def code_labels(column: pl.Series, request: Request) -> CodedLabels | None:
    """The codes of labels of one class each: every distinct label is understood once.

    None for other kinds, and where there is anything to complain about.

    >>> code_labels(pl.Series(["b", "?", "b"]), Request(abstain="?")).codes.to_list()
    [0, -1, 0]
    """
    coded = code(column) if request.kind in (None, "class", "ordinal") else None
    if coded is None or len(coded.names) > len(column) // 2 + 100:
        return None
    one_each = np.arange(len(coded.names))
    distinct = Annotations.from_arrays(
        one_each, np.zeros_like(one_each), coded.names.to_series(), **request.options()
    )
    values = distinct.answers.values
    options: dict[str, Any] = {"kind": distinct.kind, "classes": Names.range(len(distinct.classes or ()))}
    if (values < 0).any():
        options["abstain"] = -1
    return CodedLabels(pl.Series(values[coded.codes]), distinct.classes, options)


def _places(hashes: pl.Series, distinct: pl.Series) -> np.ndarray:
    left = hashes.alias("hash").to_frame()
    right = distinct.alias("hash").to_frame().with_row_index("code")
    found = left.join(right, on="hash", how="left", maintain_order="left").get_column("code")
    return found.cast(pl.Int32).to_numpy()


def _agrees(column: pl.Series, names: pl.Series, codes: np.ndarray) -> bool:
    """Whether no two names share a hash: once in a million tables of ten million names they do."""
    pieces = (slice(start, start + BLOCK) for start in range(0, len(codes), BLOCK))
    return all((names.gather(codes[piece]) == column[piece]).all() for piece in pieces)
