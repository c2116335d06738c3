"""Many labels: the label of a row is a subset, and what is not in it was answered no."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ...errors import LabelError
from ..columns import as_column
from ..names import Names
from .answers import ABSTAINED, Answers
from .categorical import class_codes

__all__ = ["read"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """A 0 / 1 row a answer. The empty subset is an answer (no to all); None is not.

    >>> answers = read([{"a", "b"}, set(), None], Names(["a", "b", "c"]), ())
    >>> answers.values.tolist(), answers.empty.tolist()
    ([[1, 1, 0], [0, 0, 0], [-1, -1, -1]], [2])
    """
    rows = [_members(value, row) for row, value in enumerate(column)]
    silent = [members is not None and any(m in abstain for m in members) for members in rows]
    places = np.repeat(np.arange(len(rows)), [len(members or ()) for members in rows])
    keep = ~np.array(silent, dtype=bool)[places]
    flat = [m for m, k in zip(chain.from_iterable(r or () for r in rows), keep, strict=True) if k]
    classes, codes = class_codes(as_column(flat, "labels"), classes, places[keep])
    values = np.zeros((len(rows), len(classes)), dtype=np.int8)
    values[places[keep], codes] = 1
    empty = np.flatnonzero([members is None for members in rows])
    values[empty] = ABSTAINED
    values[np.flatnonzero(silent)] = ABSTAINED
    return Answers(values, classes, empty)


def _members(value: Any, row: int) -> list[Any] | None:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, (set, frozenset, list, tuple, np.ndarray)):
        return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)
    raise LabelError(
        f"label {value!r} in row {row} is not a set of labels (kind='set'): give a list or a "
        f"set; for text that joins several, split it first (files: --separator '|')"
    )
