"""Many labels: the label of a row is a subset, and what is not in it was answered no."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from ...errors import LabelError, MissingLabelError
from ..columns import SEQUENCES, as_column, is_missing, missing_rows
from ..names import Names
from .answers import ABSTAINED, NOT_ASKED, Answers, in_rows
from .categorical import class_codes

__all__ = ["read"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """A 0 / 1 row an answer. The empty subset is an answer (no to all); None is not.

    A subset with a word of `abstain` in it, or that word alone, is an abstention as a whole. Where not all
    labels were asked about, {label: yes or no}: a label that is left out was not asked, None cannot say.

    >>> answers = read([{"a", "b"}, set(), None, {"b": True, "c": None}], Names(["a", "b", "c"]), ())
    >>> answers.values.tolist(), answers.empty.tolist()
    ([[1, 1, 0], [0, 0, 0], [-1, -1, -1], [-2, 1, -1]], [2])
    """
    given = [value if isinstance(value, Mapping) and len(value) else None for value in column]
    rows = [_members(value, row, abstain) for row, value in enumerate(column)]
    empty = np.flatnonzero([members is None for members in rows])
    silent = np.flatnonzero([members is None or any(m in abstain for m in members) for members in rows])
    for row in silent:
        rows[row] = []
    places = np.repeat(np.arange(len(rows)), [len(members or ()) for members in rows])
    with in_rows(places):
        flat = as_column(list(chain.from_iterable(row or () for row in rows)), "labels")
        _refuse_gap(flat)
        classes, codes = class_codes(flat, classes)
    values = np.zeros((len(rows), len(classes)), dtype=np.int8)
    values[[row for row, answer in enumerate(given) if answer is not None]] = NOT_ASKED
    values[places, codes] = [_said(given[row], name) for row, name in zip(places.tolist(), flat, strict=True)]
    values[silent] = ABSTAINED
    return Answers(values, classes, empty)


def _said(given: Mapping[Any, Any] | None, name: Any) -> int:
    """A name in a subset is a yes."""
    value = True if given is None else given[name]
    return ABSTAINED if is_missing(value) else int(bool(value))


def _refuse_gap(flat: Any) -> None:
    gaps = missing_rows(flat)
    if len(gaps):
        raise MissingLabelError(
            f"the set in row {gaps[0]} has an empty member; leave it out of the set, or give None for no answer",
            int(gaps[0]),
        )


def _members(value: Any, row: int, abstain: tuple[Any, ...]) -> list[Any] | None:
    if isinstance(value, (set, frozenset, *SEQUENCES)):
        return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)
    if isinstance(value, Mapping):
        return list(value) or None
    if is_missing(value):
        return None
    if value in abstain:
        return [value]
    raise LabelError(
        f"label {value!r} in row {row} is not a set of labels (kind='set'): give a list, a set, "
        f"or {{label: yes or no}}; for text that joins several, split it first (files: --separator '|')",
        row,
    )
