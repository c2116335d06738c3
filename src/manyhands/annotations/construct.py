"""Ways into the table: columns, dictionaries, wide matrices, scikit-learn's y.

`Annotations` has the signatures that a user reads; here is how they work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import numpy as np
import polars as pl

from ..errors import LabelError
from .assemble import Given, as_given, assemble
from .columns import as_column, stated_classes
from .encode import declared, encode, fraction_row, known_codes, whole
from .kinds import read_labels
from .matrix import cells, is_wide
from .names import Names

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["Options", "build", "from_arrays", "from_dict", "from_matrix", "from_y"]

DIGITS = r"^-?\d+$"


class Options(TypedDict, total=False):
    """What every way in takes; `Annotations.from_frame` says what each does."""

    kind: str | None
    classes: Any
    abstain: Any
    missing: str
    repeats: str
    truth: Any
    tasks: Any
    annotators: Any


class Coded(NamedTuple):
    """A column whose codes are known already."""

    names: Names
    codes: np.ndarray


def build(
    cls: type[Annotations],
    task: Any,
    annotator: Any,
    label: Any,
    *,
    kind: str | None = None,
    classes: Any = None,
    abstain: Any = None,
    truth: Any = None,
    tasks: Any = None,
    annotators: Any = None,
    columns: Mapping[str, Any] | None = None,
    missing: str = "error",
    repeats: str = "error",
) -> Annotations:
    """Codes for the three columns, then the table."""
    stated = None if classes is None else declared(classes, "classes=")
    table = assemble(
        cls,
        _given(task, annotator, label, kind, stated, abstain, tasks, annotators, columns),
        missing,
        repeats,
    )
    if truth is None:
        return table
    return table.with_truth(truth) if stated is not None else _with_new_classes(table, truth, label)


def _given(
    task: Any, annotator: Any, label: Any, kind: str | None, classes: Names | None, abstain: Any,
    tasks: Any, annotators: Any, columns: Mapping[str, Any] | None,
) -> Given:  # fmt: skip
    kind, answers = read_labels(label, kind, classes, abstain)
    coded = _coded(task, tasks, "task ids"), _coded(annotator, annotators, "annotator ids")
    return as_given(kind, *coded, answers, columns)


def _with_new_classes(table: Annotations, truth: Any, label: Any) -> Annotations:
    from .truth import with_truth

    return with_truth(table, truth, grow=table.classes is not None and stated_classes(label) is None)


def _coded(values: Any, names: Any, what: str) -> tuple[Names, np.ndarray]:
    if isinstance(values, Coded):
        return values.names, values.codes
    column = as_column(values, what)
    if names is None:
        return encode(column, what)
    known = declared(names, what)
    return known, known_codes(column, known, what)


def from_arrays(
    cls: type[Annotations],
    task: Any,
    annotator: Any,
    label: Any,
    *,
    columns: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> Annotations:
    """From three columns of equal length."""
    task, annotator = whole(as_column(task, "task ids"), "task ids"), as_column(annotator, "annotator ids")
    annotator = whole(annotator, "annotator ids")
    for role, values in (("tasks", task), ("annotators", annotator)):
        if options.get(role) is None:
            options[role] = _code_names(values)  # type: ignore[literal-required]
    names = options.get("classes")
    stated = None if names is None else declared(names, "classes=")
    if stated is None or not _are_codes(label, stated, options.get("abstain")):
        return build(cls, task, annotator, label, columns=columns, **options)
    truth = options.pop("truth", None)
    options["classes"] = Names.range(len(stated))
    table = build(cls, task, annotator, label, columns=columns, **options)
    coded_truth = truth is not None and _holds_integers(_truth_labels(truth))
    table = table.with_truth(truth) if coded_truth else table
    table = replace(table, answers=replace(table.answers, classes=stated))
    return table if truth is None or coded_truth else table.with_truth(truth)


def _code_names(column: Any) -> Names | None:
    """0 ... max where ids are whole numbers from 0 on, and not so scattered that they are names."""
    if (
        not isinstance(column, pl.Series)
        or not column.dtype.is_integer()
        or column.null_count()
        or not len(column)
    ):
        return None
    low, size = int(column.min()), int(column.max()) + 1  # type: ignore[arg-type]
    return Names.range(size) if low >= 0 and size <= 100 * len(column) + 1000 else None


def _are_codes(label: Any, classes: Names, abstain: Any) -> bool:
    """Whether labels are integers where classes are words; words like "3" are met by their text."""
    return (
        classes.are_text
        and not bool(classes.to_series().str.contains(DIGITS).all())
        and _holds_integers(label)
    )


def _holds_integers(label: Any) -> bool:
    if is_wide(label):
        return False
    column = as_column(label, "labels")
    if isinstance(column, pl.Series):
        numbers = column.dtype.is_float() and bool(column.is_not_nan().any()) and fraction_row(column) is None
        return column.dtype.is_integer() or numbers
    first = next((item for value in column if isinstance(value, (list, tuple, set, frozenset, np.ndarray))
                  for item in value if item is not None), None)  # fmt: skip
    return isinstance(first, (int, np.integer)) and not isinstance(first, bool)


def _truth_labels(truth: Any) -> Any:
    if isinstance(truth, Mapping):
        return list(truth.values())
    return truth[1] if isinstance(truth, tuple) and len(truth) == 2 else truth


def from_dict(
    cls: type[Annotations], answers: Mapping[Any, Mapping[Any, Any]], **options: Unpack[Options]
) -> Annotations:
    """From {task: {annotator: label}}; a task with an empty dictionary is a task with no answer."""
    triples = [(t, j, label) for t, row in answers.items() for j, label in row.items()]
    task, annotator, label = ([triple[i] for triple in triples] for i in range(3))
    if options.get("tasks") is None:
        options["tasks"] = list(answers)
    try:
        return build(cls, task, annotator, label, **options)
    except LabelError as error:
        if error.row is None or error.row >= len(triples):
            raise
        raise error.at(f"the answer of {annotator[error.row]!r} to {task[error.row]!r}") from None


def from_matrix(
    cls: type[Annotations],
    matrix: Any,
    **options: Unpack[Options],
) -> Annotations:
    """From a wide matrix, one row a task and one column an annotator."""
    wide = cells(matrix, number=options.get("kind") == "number")
    task = Coded(wide.named(options.pop("tasks", None), 0), wide.row)
    annotator = Coded(wide.named(options.pop("annotators", None), 1), wide.column)
    try:
        return build(cls, task, annotator, wide.label, **options)
    except LabelError as error:
        if error.row is None or error.row >= len(wide.row):
            raise
        row, column = int(wide.row[error.row]), int(wide.column[error.row])
        raise error.at(f"row {row}, column {column} of the matrix", row) from None


def from_y(cls: type[Annotations], y: Any, **options: Unpack[Options]) -> Annotations:
    """From whatever scikit-learn hands an estimator: ours, a wide matrix, or plain labels."""
    if isinstance(y, cls):
        return y
    if is_wide(y, options.get("kind")):
        return from_matrix(cls, y, **options)
    tasks, annotators = options.pop("tasks", None), options.pop("annotators", None)
    task = Coded(Names.range(len(y)) if tasks is None else declared(tasks, "tasks="), np.arange(len(y)))
    annotator = Names.range(1) if annotators is None else declared(annotators, "annotators=")
    return build(cls, task, Coded(annotator, np.zeros(len(y), dtype=np.int32)), y, **options)
