"""Ways into the table: frames, arrays, dictionaries, matrices, scikit-learn's y."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from ..errors import LabelError, ParameterError
from .assemble import assemble
from .columns import as_column, encode
from .header import EXTRA, find_columns
from .kinds import read_labels
from .names import Names

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["from_arrays", "from_dict", "from_frame", "from_matrix", "from_y"]

T = TypeVar("T", bound="Annotations")


def from_frame(
    cls: type[T],
    frame: Any,
    task: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    *,
    kind: str | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    missing: str = "error",
    repeats: str = "error",
    truth: Any = None,
    tasks: Any = None,
    annotators: Any = None,
    columns: Sequence[str] | None = None,
) -> T:
    """From any data frame that narwhals knows (pandas, polars, pyarrow ...), one answer a row.

    Args:
        task, annotator, label: the columns; found by their usual names (`worker`, `user`,
            `item` ...) where not given.
        kind: class, ordinal, number, tags, set or soft; found out from the labels by default.
        classes: the classes in their order, also those nobody used; by default those that
            occur, in the order of their values.
        abstain: the label or labels that mean "cannot say".
        missing: what an empty label does: "error", "drop" or "abstain".
        repeats: what a second answer of one annotator to one task does: "error", or keep the
            "first", the "last" or "all".
        truth: a column with the known truth, or a mapping from task to label.
        tasks, annotators: all of them, in order, also those with no answer.
        columns: other columns to keep alongside (by default those named like time or cost).

    >>> import polars as pl
    >>> frame = pl.DataFrame({"item": [1, 1, 2], "worker": ["a", "b", "a"], "answer": [0, 1, 1]})
    >>> Annotations.from_frame(frame).n_answers
    3
    """
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    found = find_columns(table.columns, task=task, annotator=annotator, label=label)
    extra = [c for c in table.columns if c.lower() in EXTRA] if columns is None else columns
    known = truth
    if isinstance(truth, str):
        known = (_native(table, found["task"]), _native(table, truth))
    return build(
        cls, _native(table, found["task"]), _native(table, found["annotator"]),
        _native(table, found["label"]), kind=kind, classes=classes, abstain=abstain,
        missing=missing, repeats=repeats, truth=known, tasks=tasks, annotators=annotators,
        columns={name: np.asarray(_native(table, name)) for name in extra},
    )  # fmt: skip


def from_arrays(
    cls: type[T],
    task: Any,
    annotator: Any,
    label: Any,
    *,
    tasks: Any = None,
    annotators: Any = None,
    classes: Any = None,
    columns: Mapping[str, Any] | None = None,
    **options: Any,
) -> T:
    """From three columns of equal length.

    Whole numbers from 0 on are codes: task 7 is row 7 of the table, whether 0 to 6 occur or
    not, so that it meets row 7 of a feature matrix. Other ids come in order of appearance. Codes
    of labels go with named `classes` too. `options` are those of `from_frame`.

    >>> Annotations.from_arrays([0, 2], [0, 0], [1, 0], classes=["no", "yes"]).n_tasks
    3
    """
    lengths = {name: len(v) for name, v in (("task", task), ("annotator", annotator), ("label", label))}
    if len(set(lengths.values())) > 1:
        raise LabelError(f"the three columns must be of one length, but they have {lengths}")
    tasks = _code_names(task) if tasks is None else tasks
    annotators = _code_names(annotator) if annotators is None else annotators
    if classes is not None and _are_codes_of(label, classes):
        label = [list(classes)[i] for i in np.asarray(label).tolist()]
    return build(cls, task, annotator, label, tasks=tasks, annotators=annotators,
                 classes=classes, columns=columns or {}, **options)  # fmt: skip


def from_dict(cls: type[T], answers: Mapping[Any, Mapping[Any, Any]], **options: Any) -> T:
    """From {task: {annotator: label}}; a task with an empty dictionary is a task with no answer.

    >>> Annotations.from_dict({"t1": {"ann": "x", "bob": "y"}, "t2": {}}).n_tasks
    2
    """
    triples = [(t, j, label) for t, row in answers.items() for j, label in row.items()]
    task, annotator, label = ([triple[i] for triple in triples] for i in range(3))
    options.setdefault("tasks", list(answers))
    return build(cls, task, annotator, label, **options)


def from_matrix(cls: type[T], matrix: Any, *, tasks: Any = None, annotators: Any = None, **options: Any) -> T:
    """From a wide matrix, one row a task and one column an annotator; NaN, None or -1 is no answer.

    >>> Annotations.from_matrix([[0, 1, -1], [1, 1, 0]]).n_answers
    5
    """
    wide = np.asarray(matrix)
    if wide.ndim != 2:
        raise LabelError(f"a wide matrix has two dimensions (tasks, annotators), not {wide.ndim}")
    rows, columns = np.nonzero(~_absent(wide, number=options.get("kind") == "number"))
    label = wide[rows, columns]
    return build(cls, rows, columns, label if wide.dtype.kind in "iufb" else label.tolist(),
                 tasks=_range_or(tasks, wide.shape[0], "tasks"), task_codes=True,
                 annotators=_range_or(annotators, wide.shape[1], "annotators"), **options)  # fmt: skip


def from_y(cls: type[T], y: Any, **options: Any) -> T:
    """From whatever scikit-learn hands an estimator: ours, a wide matrix, or plain labels.

    Plain labels are one annotator's answers, one a task, in the order of the tasks.

    >>> Annotations.from_y(["spam", "ham", "spam"]).n_annotators
    1
    """
    if isinstance(y, cls):
        return y
    values = np.asarray(y)
    if values.ndim == 2:
        return from_matrix(cls, values, **options)
    rows = np.arange(len(values))
    return build(cls, rows, np.zeros(len(values), int), values, tasks=Names.range(len(values)),
                 annotators=Names.range(1), **options)  # fmt: skip


def build(
    cls: type[T],
    task: Any,
    annotator: Any,
    label: Any,
    *,
    kind: str | None = None,
    classes: Any = None,
    abstain: Any = None,
    tasks: Any = None,
    annotators: Any = None,
    task_codes: bool = False,
    **rest: Any,
) -> T:
    """Codes for the three columns, then the table; `task_codes`: ids are places already."""
    if task_codes:
        task_names, task_code = Names(tasks), np.asarray(task)
        annotator_names, annotator_code = Names(annotators), np.asarray(annotator)
    else:
        task_names, task_code = _coded(task, tasks, "task ids")
        annotator_names, annotator_code = _coded(annotator, annotators, "annotator ids")
    stated = None if classes is None else Names(classes, "classes=")
    kind, answers = read_labels(label, kind, stated, abstain)
    return assemble(cls, kind, task_names, annotator_names, task_code, annotator_code, answers, **rest)


def _coded(values: Any, declared: Any, what: str) -> tuple[Names, np.ndarray]:
    column = as_column(values, what)
    if declared is None:
        return encode(column, what)
    names = declared if isinstance(declared, Names) else Names(declared, what)
    if (
        names.are_codes
        and isinstance(column, pl.Series)
        and column.dtype == pl.Int64
        and not column.null_count()
    ):
        codes = column.to_numpy()
        codes = np.where((codes >= 0) & (codes < len(names)), codes, -1)
    else:
        encode(column, what)  # says which row is empty
        codes = names.codes(column)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        raise LabelError(
            f"{what}: {column[row]!r} in row {row} is not among the {len(names)} declared ones; "
            f"add it there or drop the row", row,
        )  # fmt: skip
    return names, codes.astype(np.int32)


def _code_names(values: Any) -> Names | None:
    """0 ... max where ids are whole numbers from 0 on, and not so scattered that they are names."""
    codes = np.asarray(values)
    if not len(codes) or codes.dtype.kind not in "iu" or codes.min() < 0:
        return None
    size = int(codes.max()) + 1
    return Names.range(size) if size <= 100 * len(codes) + 1000 else None


def _are_codes_of(label: Any, classes: Any) -> bool:
    codes = np.asarray(label) if isinstance(label, (list, np.ndarray)) else np.empty(0)
    named = any(isinstance(c, str) for c in classes)
    is_code = codes.ndim == 1 and codes.dtype.kind in "iu" and len(codes) > 0
    return bool(named and is_code and codes.min() >= 0 and codes.max() < len(classes))


def _absent(wide: np.ndarray, number: bool) -> np.ndarray:
    """No answer: NaN, None, empty text; and -1, unless the labels are numbers in floats."""
    if wide.dtype.kind == "f":
        return np.isnan(wide) if number else np.isnan(wide) | (wide == -1)
    if wide.dtype.kind in "iu":
        return wide == -1
    if wide.dtype.kind == "b":
        return np.zeros(wide.shape, dtype=bool)
    flat = [v is None or v != v or (isinstance(v, str) and not v.strip()) or (type(v) is int and v == -1)
            for v in wide.ravel().tolist()]  # fmt: skip
    return np.array(flat, dtype=bool).reshape(wide.shape)


def _range_or(names: Any, size: int, what: str) -> Names:
    if names is None:
        return Names.range(size)
    given = Names(names, what)
    if len(given) != size:
        raise ParameterError(f"{what}= has {len(given)} names, but the matrix has {size}")
    return given


def _native(table: Any, name: str) -> Any:
    if name not in table.columns:
        raise ParameterError(f"there is no column {name!r}; there are {', '.join(map(repr, table.columns))}")
    series = table.get_column(name).to_native()
    if isinstance(series, pl.Series):
        return series
    values = table.get_column(name).to_numpy()
    return values if values.dtype.kind in "iufb" else values.tolist()
