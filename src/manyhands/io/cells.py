"""Labels as the text of one cell, and back: sets and tags joined, distributions as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from ..errors import LabelError, ParameterError
from .frames import to_json

__all__ = ["join_labels", "separator_for", "split_labels"]

SEPARATORS = {"set": "|", "tags": " "}


def separator_for(kind: str | None, given: str | None) -> str | None:
    """The separator of a kind of label; None where a cell holds one label."""
    if given is not None and kind not in SEPARATORS:
        raise ParameterError(
            f"separator={given!r} (--separator) splits labels of kind='set' or kind='tags'; say which "
            f"of them it is (--kind set)"
        )
    if given == "":
        raise ParameterError("separator='' is empty: give the text between two labels, such as '|'")
    return SEPARATORS.get(kind or "") if given is None else given


def split_labels(column: pl.Series, kind: str | None, separator: str | None = None) -> pl.Series:
    """Text as the labels that it stands for: lists, or dictionaries from label to probability.

    >>> split_labels(pl.Series(["a|b", "|", None]), "set").to_list()
    [['a', 'b'], [], None]
    """
    chosen = separator_for(kind, separator)
    if kind == "soft" or (kind is None and column.dtype in (pl.Object, pl.Struct)):
        return _distributions(column, kind)
    if chosen is None or column.dtype != pl.String:
        return column
    column = _without_blanks(column)
    if separator is None and _all_json(column, objects=kind == "set"):
        return _from_json(column, "a JSON list")
    if separator is None and kind == "set":
        _refuse_other_separator(column)
    parts = column.str.split(chosen)
    if kind == "tags":
        return parts
    return parts.list.eval(pl.element().str.strip_chars()).list.eval(pl.element().filter(pl.element() != ""))


def join_labels(labels: Sequence[Any], kind: str, separator: str | None = None) -> list[str | None]:
    """Lists and dictionaries as text that `split_labels` takes apart again.

    The whole column is JSON lists where joining would lose something: a label that holds the
    separator, a token without a tag.

    >>> join_labels([["a", "b"], [], None], "set"), join_labels([["a|b"], ["c"]], "set")
    (['a|b', '|', None], ['["a|b"]', '["c"]'])
    """
    chosen = separator_for(kind, separator)
    assert chosen is not None or kind == "soft"
    if chosen is None or not all(_joins(row, kind, chosen) for row in labels if row is not None):
        if separator is not None:
            raise ParameterError(
                f"separator={separator!r} occurs in a label, or a label is empty: choose another"
            )
        return [None if row is None else to_json(row) for row in labels]
    return [None if row is None else chosen.join(map(str, row)) or chosen for row in labels]


def _joins(row: Sequence[Any], kind: str, separator: str) -> bool:
    if not row or isinstance(row, dict):
        return kind == "set" and not row
    return all(
        name is not None and str(name).strip() == str(name) and str(name) and separator not in str(name)
        and not str(name).startswith("[") for name in row
    )  # fmt: skip


def _all_json(column: pl.Series, objects: bool) -> bool:
    some = column.drop_nulls()
    lists = some.str.starts_with("[") & some.str.ends_with("]")
    if objects:
        lists |= some.str.starts_with("{") & some.str.ends_with("}")
    return bool(len(some)) and bool(lists.all())


def _from_json(column: pl.Series, what: str) -> pl.Series:
    values = [None if cell is None else _parsed(cell, row, what) for row, cell in enumerate(column)]
    return pl.Series(column.name, values, dtype=pl.Object)


def _parsed(cell: str, row: int, what: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise LabelError(f"label {cell[:80]!r} in row {row} is not {what}", row) from None


def _refuse_other_separator(column: pl.Series) -> None:
    if column.str.contains("|", literal=True).any():
        return
    for other in (";", ","):
        row = column.str.contains(other, literal=True).fill_null(False).arg_true()
        if len(row):
            raise LabelError(
                f"label {column[int(row[0])]!r} in row {row[0]} looks like several labels with {other!r} between "
                f"them: say separator={other!r} (--separator '{other}'), or separator='|' if it is one",
                int(row[0]),
            )


def _without_blanks(column: pl.Series) -> pl.Series:
    kept = pl.when(pl.col("cell").str.strip_chars() != "").then(pl.col("cell"))
    return column.to_frame("cell").select(kept.alias(column.name)).to_series()


def _distributions(column: pl.Series, kind: str | None) -> pl.Series:
    """Dictionaries (and, where the kind says so, lists) whose values are numbers."""
    if column.dtype == pl.String:
        column = _from_json(_without_blanks(column), 'a JSON object such as {"no": 0.2, "yes": 0.8}')
    values = column.to_list()
    if column.dtype == pl.Struct:  # a field that is null was not given
        values = [{k: v for k, v in (value or {}).items() if v is not None} or None for value in values]
    for row, value in enumerate(values):
        _refuse_words(value, row, kind)
    return pl.Series(column.name, values, dtype=pl.Object)


def _refuse_words(value: Any, row: int, kind: str | None) -> None:
    entries: Iterable[Any] = ()
    if isinstance(value, dict):
        entries = value.values()
    elif kind == "soft" and isinstance(value, list):
        entries = value
    elif kind == "soft" and value is not None:
        raise LabelError(f"label {value!r} in row {row} is not a distribution: give an object or a list", row)
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, (int, float)):
            raise LabelError(
                f"label {value!r} in row {row} gives {entry!r} where a probability should be", row
            )
