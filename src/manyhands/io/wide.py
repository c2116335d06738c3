"""The wide table: one task a row, one annotator a column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ..annotations import ALIASES, Annotations
from ..annotations.columns import as_column
from ..annotations.encode import encode
from ..errors import FormatError, ParameterError
from .cells import split_labels
from .places import located
from .request import Request
from .roles import given_columns
from .tables import Table
from .values import series_of

__all__ = ["read_wide", "task_column"]

NO_ANSWER = ("", "NaN", "nan", "NA")


def read_wide(table: Table, request: Request) -> Annotations:
    """Labels from a table whose columns, but for the task's, are annotators.

    Empty, NaN and NA are no answer, and so is -1 unless the labels are numbers.
    """
    task = task_column(table, given_columns(request.columns, ("task",)))
    people = [name for name in table.names if name not in (task, request.truth)]
    if not people:
        raise FormatError(f"has no column beside {task!r}: a wide table has one an annotator",
                          table.path, 1 if table.is_text else None)  # fmt: skip
    frame = table.frame([task, *people], required=[task])
    rows, who, labels = _answers(frame, people, is_number=request.kind == "number")
    ids = frame.get_column(task)
    with located(table, np.arange(len(ids))):
        _refuse_empty(ids)
    with located(table, rows):
        long = pl.DataFrame(
            [ids.gather(rows).alias("task"), pl.Series("annotator", people, dtype=pl.String).gather(who),
             split_labels(labels, request.kind, request.separator)]
        )  # fmt: skip
        everybody = people if request.annotators is None else request.annotators
        tasks = encode(as_column(ids, "task ids"), "task ids")[0] if request.tasks is None else request.tasks
        return Annotations.from_frame(
            long,
            "task",
            "annotator",
            "label",
            tasks=tasks,
            annotators=everybody,
            missing=request.missing or "error",
            repeats=request.repeats,
            **request.options(),
        )


def task_column(table: Table, given: dict[str, str]) -> str:
    """The column of the task: the one given, one of its usual names, or the first."""
    if "task" in given:
        if given["task"] not in table.names:
            raise ParameterError(
                f"{table.path} has no column {given['task']!r}; there are {', '.join(map(repr, table.names[:20]))}"
            )
        return given["task"]
    usual = {name.strip().lower(): name for name in reversed(table.names)}
    return next((usual[alias] for alias in ALIASES["task"] if alias in usual), table.names[0])


def _answers(
    frame: pl.DataFrame, people: Sequence[str], is_number: bool
) -> tuple[np.ndarray, np.ndarray, pl.Series]:
    """The row, the annotator and the label of every cell that holds an answer."""
    places = [_answered(frame.get_column(name), is_number) for name in people]
    who = np.repeat(np.arange(len(people)), [len(rows) for rows in places])
    labels = [frame.get_column(name).gather(rows) for name, rows in zip(people, places, strict=True)]
    return np.concatenate(places), who, _stacked([column for column in labels if len(column)])


def _answered(column: pl.Series, is_number: bool) -> np.ndarray:
    mask = column.is_not_null()
    if column.dtype == pl.String:
        text = column.str.strip_chars()
        mask &= ~text.is_in(list(NO_ANSWER if is_number else (*NO_ANSWER, "-1")))
    elif column.dtype.is_float():
        mask &= column.is_not_nan()
    if column.dtype.is_numeric() and not is_number:
        mask &= column != -1
    return mask.fill_null(False).arg_true().to_numpy()


def _stacked(columns: list[pl.Series]) -> pl.Series:
    """Columns of one type as they are, numbers as numbers, anything else value by value."""
    types = {column.dtype for column in columns}
    if not types:
        return pl.Series("label", [], dtype=pl.String)
    named = [column.alias("label") for column in columns]
    if len(types) == 1 and pl.Object not in types:
        return pl.concat(named)
    return series_of("label", [value for column in named for value in column.to_list()])


def _refuse_empty(ids: pl.Series) -> None:
    from ..errors import MissingLabelError

    empty = ids.is_null() if ids.dtype != pl.String else ids.is_null() | (ids.str.strip_chars() == "")
    rows = empty.fill_null(True).arg_true()
    if len(rows):
        raise MissingLabelError(
            f"row {rows[0]} has no task ({len(rows)} such): fill it in or drop the row", int(rows[0])
        )
