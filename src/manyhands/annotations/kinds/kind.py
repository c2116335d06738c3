"""The list of kinds, and which one a column of labels looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple
from warnings import warn

import numpy as np
import polars as pl

from ...errors import LabelError, LabelWarning, ParameterError
from ..columns import as_column, is_missing, stated_classes
from ..encode import declared
from ..names import Names
from . import categorical, numbers, sets, soft, tags
from .answers import Answers

__all__ = ["KINDS", "Kind", "infer_kind", "read_labels"]


class Kind(NamedTuple):
    """One kind of label.

    unit: what has one truth ("task", "token", or a "(task, label) pair").
    truth: "categorical" or "real".
    read: (column, classes, abstain) -> Answers.
    ordered: whether the order of the classes means something.
    """

    name: str
    unit: str
    truth: Literal["categorical", "real"]
    says: str
    read: Callable[[Any, Names | None, tuple[Any, ...]], Answers]
    ordered: bool = False


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("class", "task", "categorical", "one class", categorical.read),
        Kind("ordinal", "task", "categorical", "one of ordered classes", categorical.read, ordered=True),
        Kind("number", "task", "real", "a number", numbers.read),
        Kind("tags", "token", "categorical", "a list of tags, one a token", tags.read),
        Kind("set", "(task, label) pair", "categorical", "a subset of the labels", sets.read),
        Kind("soft", "task", "categorical", "a distribution over the classes", soft.read),
    )
}


def read_labels(values: Any, kind: str | None, classes: Names | None, abstain: Any) -> tuple[str, Answers]:
    """The kind (found out where it is not told) and the answers.

    >>> kind, answers = read_labels(["yes", "no"], None, None, None)
    >>> kind, answers.classes
    ('class', Names(['no', 'yes']))
    """
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"kind={kind!r} is not a kind of label; choose from {', '.join(KINDS)}")
    words = _as_tuple(abstain)
    if classes is None and kind not in ("number", "soft"):
        classes = _stated(values, words)
    if kind in (None, "tags") and tags.is_list_column(values):
        return "tags", tags.read(values, classes, words)
    column = values if _is_wide(values) and kind in (None, "soft") else as_column(values, "labels")
    kind = infer_kind(column, words) if kind is None else kind
    if kind == "ordinal" and classes is None:
        _warn_of_letters(column, words)
    return kind, KINDS[kind].read(column, classes, words)


def _stated(values: Any, abstain: tuple[Any, ...]) -> Names | None:
    classes = stated_classes(values)
    return None if classes is None else declared([c for c in classes if c not in abstain], "categories")


def _warn_of_letters(column: Any, abstain: tuple[Any, ...]) -> None:
    if isinstance(column, pl.Series) and column.dtype == pl.String and _as_numbers(column, abstain) is None:
        warn(
            "ordinal labels given as text stand in the order of the alphabet; state theirs with classes=",
            LabelWarning,
            stacklevel=2,
        )


def infer_kind(column: Any, abstain: tuple[Any, ...] = ()) -> str:
    """The kind that a column of labels looks like.

    Text, integers and tuples are classes, lists tags, sets sets, dictionaries soft. Numbers with
    decimals must be told: as ratings they are numbers, as codes they are classes.

    >>> infer_kind(as_column([["B-PER", "O"]])), infer_kind(as_column([3, 1]))
    ('tags', 'class')
    """
    if _is_wide(column):
        return "soft"
    if isinstance(column, list):
        first = next((v for v in column if not is_missing(v)), None)
        kinds = ((dict, "soft"), ((set, frozenset), "set"), ((list, np.ndarray, pl.Series), "tags"))
        return next((name for types, name in kinds if isinstance(first, types)), "class")
    _ask_about_decimals(column, abstain)
    return "class"


def _ask_about_decimals(column: pl.Series, abstain: tuple[Any, ...]) -> None:
    values = _as_numbers(column, abstain) if column.dtype == pl.String else column
    if values is None or not values.dtype.is_float():
        return
    broken = values.filter((values % 1 != 0) & values.is_finite())
    if not len(broken):
        return
    found = column.str.strip_chars().cast(pl.Float64, strict=False) if values is not column else column
    row = int((found == broken[0]).fill_null(False).arg_true()[0])
    raise LabelError(
        f"label {column[row]!r} in row {row} is a number with decimals: say kind='number' "
        f"(--kind number) to average such labels, or kind='class' (--kind class) to count them",
        row,
    )


def _as_numbers(column: pl.Series, abstain: tuple[Any, ...]) -> pl.Series | None:
    """The distinct texts as numbers where all of them are; None where one is not."""
    some = column.drop_nulls().unique(maintain_order=True).str.strip_chars()
    some = some.filter((some != "") & ~some.is_in([str(word) for word in abstain]))
    found = some.cast(pl.Float64, strict=False)
    return None if found.null_count() else found


def _is_wide(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 2


def _as_tuple(abstain: Any) -> tuple[Any, ...]:
    if abstain is None:
        return ()
    words = tuple(abstain) if isinstance(abstain, (list, tuple, set, frozenset)) else (abstain,)
    try:
        return tuple(dict.fromkeys(words))
    except TypeError:
        raise ParameterError(f"abstain={abstain!r} must be a label or a list of labels") from None
