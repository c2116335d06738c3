"""Classes, ordered or not: the label of a row is one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from ...errors import LabelError, ParameterError, UnknownClassError
from ..columns import missing_rows
from ..encode import encode, fraction_row, hint, sorted_names
from ..names import Names
from .answers import ABSTAINED, Answers, in_rows, smallest_codes

__all__ = ["class_codes", "equal_to", "read", "refuse_infinite"]


def read(column: Any, classes: Names | None, abstain: tuple[Any, ...]) -> Answers:
    """Class codes; -1 where the label is one of `abstain`.

    >>> answers = read(pl.Series(["b", "?", "a"]), None, ("?",))
    >>> answers.values.tolist(), answers.classes
    ([1, -1, 0], Names(['a', 'b']))
    """
    column = _countable(column, classes)
    empty = missing_rows(column)
    silent = equal_to(column, abstain)
    silent[empty] = True
    if classes is not None and len(equal := np.flatnonzero(equal_to(_values_of(classes), abstain))):
        raise ParameterError(
            f"{classes[int(equal[0])]!r} is both in classes= and in abstain=; drop it from one"
        )
    if not silent.any():
        classes, codes = class_codes(column, classes)
        return Answers(codes, classes, empty)
    spoken = np.flatnonzero(~silent)
    with in_rows(spoken):
        classes, said = class_codes(_at(column, spoken), classes)
    codes = np.full(len(column), ABSTAINED, dtype=said.dtype)
    codes[spoken] = said
    return Answers(codes, classes, empty)


def class_codes(column: Any, classes: Names | None) -> tuple[Names, np.ndarray]:
    """Codes within the declared classes, or within those that occur, in order of their values."""
    if classes is None:
        classes = _occurring(column)
    codes = classes.codes(column)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        shown = ", ".join(repr(classes[i]) for i in range(min(len(classes), 8)))
        raise UnknownClassError(
            f"label {column[row]!r} in row {row} is not among the declared classes "
            f"({shown}{', ...' if len(classes) > 8 else ''}){hint(classes, column[row])}; {len(unknown)} such "
            f"labels: add it to classes=, name it in abstain=, or correct the row",
            row,
        )
    return classes, smallest_codes(codes, len(classes))


def _occurring(column: Any) -> Names:
    if isinstance(column, pl.Series) and column.dtype == pl.Boolean:
        return Names([False, True])  # the type says that there are two
    return sorted_names(encode(column, "labels")[0])


def _countable(column: Any, classes: Names | None) -> Any:
    """Whole floats as integers, others as hashables (the user said so); text and integers as the classes."""
    if not isinstance(column, pl.Series):
        return column
    if column.dtype.is_float():
        refuse_infinite(column)
        if fraction_row(column) is not None:
            return column.fill_nan(None).to_list()
        column = column.fill_nan(None).cast(pl.Int64)
    if classes is None or not len(classes):
        return column
    if column.dtype.is_integer() and classes.are_text and _as_integers(_values_of(classes)) is not None:
        return column.cast(pl.String)
    if column.dtype == pl.String and all(type(value) is int for value in classes):
        numbers = _as_integers(column)
        return column if numbers is None else numbers
    return column


def _as_integers(text: pl.Series) -> pl.Series | None:
    """Text that is whole numbers throughout, as a file or a command line gives them."""
    stripped = text.str.strip_chars()
    numbers = stripped.cast(pl.Int64, strict=False)
    odd = numbers.is_null() & stripped.is_not_null() & (stripped != "")
    return None if odd.any() else numbers


def refuse_infinite(column: pl.Series) -> None:
    """No mean of infinite numbers is finite, and as a class one is a slip."""
    infinite = column.is_infinite().arg_true()
    if len(infinite):
        row = int(infinite[0])
        raise LabelError(f"label {column[row]} in row {row} is infinite; correct it or drop the row", row)


def equal_to(column: Any, abstain: tuple[Any, ...]) -> np.ndarray:
    """Which rows hold one of the words for an abstention; 0 and "0" are one word here."""
    mask = np.zeros(len(column), dtype=bool)
    if not abstain:
        return mask
    if not isinstance(column, pl.Series):
        return Names(dict.fromkeys(abstain)).codes(column) >= 0
    words = abstain if column.dtype == pl.Boolean else [str(word) for word in abstain]
    for word in words:
        mask |= _equal(column, word).fill_null(False).to_numpy()
    return mask


def _equal(column: pl.Series, word: Any) -> pl.Series:
    if column.dtype == pl.String:
        return column == word
    if column.dtype == pl.Boolean:
        return column == word if isinstance(word, bool) else pl.repeat(False, len(column), eager=True)
    try:
        return column.cast(pl.Float64) == float(word)
    except ValueError:  # a word that is no number is nowhere among numbers
        return pl.repeat(False, len(column), eager=True)


def _values_of(names: Names) -> Any:
    series = names.to_series()
    return series if names.are_text or series.dtype == pl.Int64 else names.to_list()


def _at(column: Any, rows: np.ndarray) -> Any:
    return column[rows] if isinstance(column, pl.Series) else [column[i] for i in rows]
