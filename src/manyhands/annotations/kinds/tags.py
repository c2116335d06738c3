"""Sequences: the label of a row is a list of tags, one for each token of the task."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from ...errors import LabelError
from ..columns import SEQUENCES, as_column, is_missing
from ..names import Names
from ..ragged import starts_of
from . import categorical
from .answers import Answers, in_rows

__all__ = ["is_list_column", "read"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Tag codes in one flat array; a token whose tag is empty or in `abstain` is -1.

    An empty list is an empty label: it says nothing of any token.

    >>> answers = read([["B-PER", "O"], None, ["O"]], None, ())
    >>> answers.values.tolist(), answers.starts.tolist(), answers.empty.tolist()
    ([0, 1, 1], [0, 2, 2, 3], [1])
    """
    flat, lengths = _flattened(column) if is_list_column(column) else _chained(column)
    with in_rows(np.repeat(np.arange(len(lengths)), lengths)):
        codes = categorical.read(as_column(flat, "tags"), classes, abstain)
    return Answers(codes.values, codes.classes, np.flatnonzero(lengths == 0), starts_of(lengths))


def is_list_column(column: Any) -> bool:
    """Whether a polars column holds lists: their tags need not pass through Python."""
    return isinstance(column, pl.Series) and column.dtype == pl.List


def _flattened(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    lengths = column.list.len().fill_null(0)
    return column.filter(lengths > 0).explode(), lengths.cast(pl.Int64).to_numpy()


def _chained(column: Any) -> tuple[list[Any], np.ndarray]:
    rows = [_tokens(value, row) for row, value in enumerate(column)]
    return list(chain.from_iterable(rows)), np.array([len(row) for row in rows], dtype=np.int64)


def _tokens(value: Any, row: int) -> list[Any]:
    if isinstance(value, SEQUENCES):
        return list(value)
    if is_missing(value):
        return []
    raise LabelError(
        f"label {value!r} in row {row} is not a list of tags (kind='tags'): give one tag a token", row
    )
