"""Sequences: the label of a row is a list of tags, one for each token of the task."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ...errors import LabelError
from ..columns import as_column, is_missing
from ..names import Names
from ..ragged import starts_of
from . import categorical
from .answers import Answers, in_rows

__all__ = ["read"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Tag codes in one flat array; a token whose tag is empty or in `abstain` is -1.

    An empty list is an empty label: it says nothing of any token.

    >>> answers = read([["B-PER", "O"], None, ["O"]], None, ())
    >>> answers.values.tolist(), answers.starts.tolist(), answers.empty.tolist()
    ([0, 1, 1], [0, 2, 2, 3], [1])
    """
    rows = [_tokens(value, row) for row, value in enumerate(column)]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    with in_rows(np.repeat(np.arange(len(rows)), lengths)):
        flat = as_column(list(chain.from_iterable(rows)), "tags")
        codes = categorical.read(flat, classes, abstain)
    return Answers(codes.values, codes.classes, np.flatnonzero(lengths == 0), starts_of(lengths))


def _tokens(value: Any, row: int) -> list[Any]:
    if isinstance(value, (list, tuple, np.ndarray)):
        return list(value)
    if is_missing(value):
        return []
    raise LabelError(
        f"label {value!r} in row {row} is not a list of tags (kind='tags'): give one tag a token", row
    )
