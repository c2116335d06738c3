"""The list of kinds, and which one a column of labels looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from ...errors import LabelError, ParameterError
from ..columns import as_column
from ..names import Names
from . import categorical, numbers, sets, soft, tags
from .answers import Answers

__all__ = ["KINDS", "Kind", "infer_kind", "read_labels"]


class Kind(NamedTuple):
    """One kind of label.

    unit: what has one truth ("task", "token", or a "(task, label) pair").
    truth: "categorical" or "real".
    read: (column, classes, abstain) -> Answers.
    """

    name: str
    unit: str
    truth: Literal["categorical", "real"]
    says: str
    read: Callable[[Any, Names | None, tuple[Any, ...]], Answers]


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("class", "task", "categorical", "one class", categorical.read),
        Kind("ordinal", "task", "categorical", "one of ordered classes", categorical.read),
        Kind("number", "task", "real", "a number", numbers.read),
        Kind("tags", "token", "categorical", "a list of tags, one a token", tags.read),
        Kind("set", "(task, label) pair", "categorical", "a subset of the labels", sets.read),
        Kind("soft", "task", "categorical", "a distribution over the classes", soft.read),
    )
}


def read_labels(values: Any, kind: str | None, classes: Names | None, abstain: Any) -> tuple[str, Answers]:
    """The kind (found out where it is not told) and the answers."""
    column = values if _is_wide(values) else as_column(values, "labels")
    kind = infer_kind(column) if kind is None else kind
    if kind not in KINDS:
        raise ParameterError(f"kind={kind!r} is not a kind of label; choose from {', '.join(KINDS)}")
    return kind, KINDS[kind].read(column, classes, _as_tuple(abstain))


def infer_kind(column: Any) -> str:
    """The kind that a column of labels looks like.

    Text and integers are classes, lists tags, sets sets, dictionaries soft. Numbers with
    decimals must be told: as ratings they are numbers, as codes they are classes.

    >>> infer_kind(as_column([["B-PER", "O"]])), infer_kind(as_column([3, 1]))
    ('tags', 'class')
    """
    if _is_wide(column):
        return "soft"
    if isinstance(column, list):
        first = next((v for v in column if v is not None), None)
        kinds = ((dict, "soft"), ((set, frozenset), "set"), ((list, np.ndarray), "tags"))
        return next((name for types, name in kinds if isinstance(first, types)), "class")
    _ask_about_decimals(column)
    return "class"


def _ask_about_decimals(column: pl.Series) -> None:
    numbers_ = column.cast(pl.Float64, strict=False) if _looks_decimal(column) else column
    if not numbers_.dtype.is_float():
        return
    broken = ((numbers_ % 1 != 0) & numbers_.is_finite()).fill_null(False).arg_true()
    if len(broken):
        row = int(broken[0])
        raise LabelError(
            f"label {column[row]!r} in row {row} is a number with decimals: say kind='number' "
            f"(--kind number) to average such labels, or kind='class' (--kind class) to count them"
        )


def _looks_decimal(column: pl.Series) -> bool:
    """Whether text is numbers throughout, with a decimal point somewhere."""
    if column.dtype != pl.String:
        return False
    some = column.drop_nulls().unique()
    some = some.filter(some.str.strip_chars() != "")
    if not len(some) or not some.str.contains(".", literal=True).any():
        return False
    return some.str.strip_chars().cast(pl.Float64, strict=False).null_count() == 0


def _is_wide(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 2


def _as_tuple(abstain: Any) -> tuple[Any, ...]:
    if abstain is None:
        return ()
    return tuple(abstain) if isinstance(abstain, (list, tuple, set, frozenset)) else (abstain,)
