"""The table of sets with a 0 / 1 column a label: one answer a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from ..annotations import ABSTAINED, Annotations
from ..annotations.header import EXTRA
from ..errors import FormatError, LabelError, ParameterError
from .places import located
from .request import Request
from .roles import find_roles, given_columns
from .tables import Table
from .wide import NO_ANSWER

__all__ = ["indicator_frame", "read_indicators"]

WORDS: Mapping[str, bool] = {"1": True, "true": True, "yes": True, "1.0": True,
                             "0": False, "false": False, "no": False, "0.0": False}  # fmt: skip
WHO = ("task", "annotator")


def read_indicators(table: Table, request: Request) -> Annotations:
    """Sets from a table with a task, an annotator, and a column a label: 1 yes, 0 no, empty not asked.

    The labels are `classes`, where they are given; else every column that is not something else.
    """
    if request.kind not in (None, "set"):
        raise ParameterError(
            f"layout='indicators' (--layout indicators) is of sets, not of kind={request.kind!r}: leave the kind out"
        )
    roles = find_roles(table, given_columns(request.columns, WHO), WHO)
    extra = [name for name in table.names if name.lower() in EXTRA and name not in roles.values()]
    names = _labels(table, request, {*roles.values(), *extra, request.truth})
    frame = table.frame([*roles.values(), *names], required=list(roles.values()))
    with located(table):
        said = [_as_bools(frame.get_column(name)) for name in names]
        rows = [
            {name: value for name, value in zip(names, row, strict=True) if value is not None} or None
            for row in zip(*said, strict=True)
        ]
        long = pl.DataFrame([frame.get_column(roles["task"]), frame.get_column(roles["annotator"])])
        return Annotations.from_frame(
            long.with_columns(pl.Series(" label", rows, dtype=pl.Object)), **roles, label=" label", columns=[],
            kind="set", classes=names, tasks=request.tasks, annotators=request.annotators,
            missing=request.missing or "error", repeats=request.repeats,
        )  # fmt: skip


def indicator_frame(labels: Annotations) -> pl.DataFrame:
    """The columns `task`, `annotator`, then 1, 0 or empty for every label.

    >>> indicator_frame(Annotations.from_dict({"t": {"ann": {"a", "b"}, "bob": {"b"}}})).rows()
    [('t', 'ann', 1, 1), ('t', 'bob', 0, 1)]
    """
    if labels.kind != "set" or labels.classes is None:
        raise ParameterError(
            f"a 0 / 1 column a label is for sets, not for kind={labels.kind!r}: keep it long"
        )
    taken = {str(name) for name in labels.classes} & {*WHO}
    if taken:
        raise ParameterError(f"a label is named {taken.pop()!r}, as another column must be: keep it long")
    columns = [
        pl.Series(str(name), np.maximum(values, ABSTAINED)).replace(ABSTAINED, None)
        for name, values in zip(labels.classes, labels.answers.values.T, strict=True)
    ]
    who = labels.to_frame().select(WHO)
    return who.with_columns(columns)


def _labels(table: Table, request: Request, others: set[Any]) -> list[str]:
    if request.classes is not None:
        lacking = [name for name in request.classes if name not in table.names]
        if lacking:
            raise ParameterError(
                f"{table.path} has no column {lacking[0]!r}, which classes= names; there are {table.names[:20]}"
            )
        return [str(name) for name in request.classes]
    names = [name for name in table.names if name not in others]
    if not names:
        raise FormatError("has no column beside the task and the annotator: a label has one each", table.path,
                          1 if table.is_text else None)  # fmt: skip
    return names


def _as_bools(column: pl.Series) -> list[bool | None]:
    return [_as_bool(value, column.name, row) for row, value in enumerate(column.to_list())]


def _as_bool(value: Any, name: str, row: int) -> bool | None:
    word = "" if value is None else str(value).strip()
    if word in NO_ANSWER or word == str(ABSTAINED):
        return None
    if word.lower() not in WORDS:
        raise LabelError(
            f"label {value!r} in row {row}, column {name!r}, is neither 1 nor 0 nor empty: correct it, or name the "
            f"columns of labels with classes= (--classes A,B)",
            row,
        )
    return WORDS[word.lower()]
