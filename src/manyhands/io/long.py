"""The long table: one answer a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ..annotations import Annotations, Names
from ..annotations.header import EXTRA
from ..annotations.moments import seconds_since_1970
from ..errors import LabelError
from .cells import split_labels
from .coding import code, code_labels
from .places import located
from .request import Request
from .roles import find_roles, given_columns
from .tables import Table

__all__ = ["read_long"]


def read_long(table: Table, request: Request) -> Annotations:
    """Labels from a table with a task, an annotator and a label in every row."""
    roles = find_roles(table, given_columns(request.columns))
    taken = {*roles.values(), request.truth}
    extra = [name for name in table.names if name.lower() in EXTRA and name not in taken]
    if request.tasks is None and request.annotators is None:
        try:
            labels = _in_codes(table, request, roles, extra)
        except LabelError:  # it speaks of codes; the plain way says the same in names
            labels = None
        if labels is not None:
            return labels
    return _in_names(table, request, roles, extra)


def _in_codes(
    table: Table, request: Request, roles: dict[str, str], extra: Sequence[str]
) -> Annotations | None:
    """With each column dropped as soon as its codes are known; None where ids are not plain."""
    columns = _Columns(table, list(roles.values()), extra)
    tasks = code(columns.take(roles["task"]))
    annotators = None if tasks is None else code(columns.take(roles["annotator"]))
    if tasks is None or annotators is None:
        return None
    label = split_labels(columns.take(roles["label"]), request.kind, request.separator)
    said = code_labels(label, request)
    alongside = {name: _as_numbers(columns.take(name)).to_numpy() for name in extra}
    label, options = (label, request.options()) if said is None else (said.codes, said.options)
    labels = Annotations.from_arrays(
        tasks.codes, annotators.codes, label, tasks=Names.range(len(tasks.names)),
        annotators=Names.range(len(annotators.names)), columns=alongside,
        missing=request.missing or "error", repeats=request.repeats, **options,
    )  # fmt: skip
    answers = labels.answers if said is None else replace(labels.answers, classes=said.classes)
    return replace(labels, tasks=tasks.names, annotators=annotators.names, answers=answers)


def _in_names(table: Table, request: Request, roles: dict[str, str], extra: Sequence[str]) -> Annotations:
    columns = _Columns(table, list(roles.values()), extra)
    with located(table):
        label = split_labels(columns.take(roles["label"]), request.kind, request.separator)
        frame = pl.DataFrame(
            [columns.take(roles["task"]), columns.take(roles["annotator"]), label,
             *(_as_numbers(columns.take(name)) for name in extra)]
        )  # fmt: skip
        return Annotations.from_frame(
            frame, **roles, columns=list(extra), tasks=request.tasks, annotators=request.annotators,
            missing=request.missing or "error", repeats=request.repeats, **request.options(),
        )  # fmt: skip


class _Columns:
    """Columns handed out one by one, and not kept."""

    def __init__(self, table: Table, required: Sequence[str], extra: Sequence[str]):
        self._table = table
        names = [*required, *extra]
        self._frame = None if table.is_columnar else table.frame(names, required=required)

    def take(self, name: str) -> pl.Series:
        if self._frame is None:
            return self._table.frame([name]).to_series()
        return self._frame.drop_in_place(name)


def _as_numbers(column: pl.Series) -> pl.Series:
    """Times and costs as numbers, where all of a column of text are numbers; dates as seconds since 1970."""
    if column.dtype.is_temporal():
        return seconds_since_1970(column)
    if column.dtype != pl.String:
        return column
    numbers: Any = column.str.strip_chars().cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else seconds_since_1970(column)
