"""Known truths: from a file of their own, or from a column beside the labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..annotations import Annotations, Names, find_columns, sorted_names
from ..errors import FileError, FormatError, LabelError
from .cells import split_labels
from .places import located
from .request import Request
from .roles import find_roles, given_columns
from .tables import Table, open_table
from .task_rows import refuse_unnamed
from .tools.opening import open_labels
from .tools.registry import named_for
from .tools.table import ExportTable

__all__ = ["attach_truth", "read_truth"]

# Before the usual names of labels: a table of answers may have a truth beside each.
GOLD = ("truth", "gold", "gold_label", "gold_labels", "ground_truth", "true_label", "correct", "expert")
UNKNOWN = ("", "NA", "NaN", "nan", "null")


class Truths(NamedTuple):
    """One known truth a task, and the row that said it."""

    tasks: list[Any]
    labels: list[Any]
    rows: np.ndarray


def read_truth(
    path: str | Path,
    columns: Mapping[str, str] | str | None = None,
    *,
    delimiter: str | None = None,
    format: str | None = None,
) -> dict[Any, Any]:
    r"""Known truths of a file, by task; a task whose truth is empty or NA is left out.

    The file may have more columns, such as a split; ids and labels are text where the file has
    only text, as they are in labels from such a file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/truth.csv"
    >>> _ = Path(path).write_text("task,label,split\n1,cat,train\n2,,train\n")
    >>> read_truth(path)
    {'1': 'cat'}
    """
    if (format or named_for(Path(path))) == "conll":
        return _of_sentences(path, columns, delimiter)
    table = open_table(path, format, delimiter)
    found = _truths(table, *_columns(table, columns))
    return dict(zip(found.tasks, found.labels, strict=True))


def _of_sentences(
    path: str | Path, columns: Mapping[str, str] | str | None, delimiter: str | None = None
) -> dict[Any, Any]:
    """The column of truths, or the only column of tags."""
    table = open_labels(path, "conll", delimiter, columns, contents=True)
    assert isinstance(table, ExportTable)
    known = table.truths()
    if known:
        return known
    frame = table.frame(["task", "annotator", "label"])
    who = frame["annotator"].unique().to_list()
    if len(who) != 1:
        raise FormatError(
            f"has {len(who)} columns of tags, and none is named truth: name the columns in a first line "
            f"'# columns = token ... truth'",
            Path(path),
        )
    return dict(zip(frame["task"].to_list(), frame["label"].to_list(), strict=True))


def attach_truth(
    labels: Annotations,
    truth: str | Path | Mapping[Any, Any],
    table: Table,
    request: Request,
    rebuild: Callable[[Names], Annotations],
) -> Annotations:
    """The labels with their truths; truths of tasks that nobody labelled are left out."""
    source, found = _find(labels, truth, table, request)
    found = _of_labelled(labels, found, source)
    with located(source, found.rows):
        values = _as_labels(found.labels, labels, request.separator)
        new = _new_classes(labels, values)
        if new and request.classes is None:
            assert labels.classes is not None
            labels = rebuild(sorted_names(Names([*labels.classes, *new])))
        return labels.with_truth((found.tasks, values))


def _find(
    labels: Annotations, truth: str | Path | Mapping[Any, Any], table: Table, request: Request
) -> tuple[Table, Truths]:
    if isinstance(truth, Mapping):
        return table, Truths(list(truth), list(truth.values()), np.empty(0, dtype=np.int64))
    said = {str(name) for name in labels.classes or ()}
    unknown = [word for word in UNKNOWN if word not in said]
    if request.truth is not None:
        task = _task_of(table, request)
        return table, _truths(table, task, request.truth, unknown)
    if not Path(truth).exists():
        raise FileError(
            f"truth={str(truth)!r} is neither a column of {table.path} (they are "
            f"{', '.join(map(repr, table.names[:20]))}) nor a file"
        )
    if named_for(Path(truth)) == "conll":
        known = _of_sentences(truth, None)
        return table, Truths(list(known), list(known.values()), np.empty(0, dtype=np.int64))
    source = open_table(truth)
    return source, _truths(source, *_columns(source, None), unknown)


def _task_of(table: Table, request: Request) -> str:
    from .wide import task_column

    given = given_columns(request.columns)
    found = find_columns(table.names, task=given.get("task")) if "label" in given else None
    return task_column(table, given) if found is None else found["task"]


def _columns(table: Table, columns: Mapping[str, str] | str | None) -> tuple[str, str]:
    given = given_columns(columns, ("task", "label"))
    lower = {name.strip().lower(): name for name in reversed(table.names)}
    gold = next((lower[name] for name in GOLD if name in lower), None)
    if gold is not None and gold != given.get("task"):
        given.setdefault("label", gold)
    roles = find_roles(table, given, ("task", "label"))
    return roles["task"], roles["label"]


def _truths(table: Table, task: str, label: str, unknown: Sequence[str] = UNKNOWN) -> Truths:
    frame = table.frame([task, label], required=[task, label]).with_row_index("row")
    if not any(dtype == pl.Object or dtype.is_nested() for dtype in frame.schema.values()):
        frame = frame.unique([task, label], keep="first", maintain_order=True)
    known: dict[Any, tuple[Any, int]] = {}
    with located(table):
        for row, name, value in frame.select("row", task, label).iter_rows():
            if value is None or value != value or (isinstance(value, str) and value.strip() in unknown):
                continue
            refuse_unnamed(name, row, "a truth")
            before, first = known.setdefault(name, (value, row))
            if before != value:
                raise LabelError(
                    f"task {name!r} has the truth {before!r} in row {first} and {value!r} in row {row}; "
                    f"keep one, or read a file that holds one truth a task",
                    row,
                )
    return Truths(list(known), [v for v, _ in known.values()], np.array([r for _, r in known.values()], int))


def _of_labelled(labels: Annotations, found: Truths, source: Table) -> Truths:
    tasks = _alike(found.tasks, labels.tasks)
    places = np.flatnonzero(labels.tasks.codes(tasks) >= 0) if tasks else np.empty(0, dtype=int)
    if not len(places) and tasks and len(labels.tasks):
        raise LabelError(
            f"{source.path}: none of the {len(tasks)} truths is of a labelled task: the first is of "
            f"{found.tasks[0]!r}, where a labelled task is {labels.tasks[0]!r}; are the ids the same?"
        )
    rows = found.rows[places] if len(found.rows) else found.rows
    return Truths([tasks[i] for i in places], [found.labels[i] for i in places], rows)


def _alike(values: list[Any], names: Iterable[Any]) -> list[Any]:
    """Integers and text that say the same are the same: one file has types, the other has not."""
    types, ours = set(map(type, values)), {type(name) for name in names}
    if types == {int} and ours == {str}:
        return [str(value) for value in values]
    if types == {str} and ours == {int}:
        known = {str(name): name for name in names}
        return [known.get(value, value) for value in values]
    return values


def _as_labels(values: list[Any], labels: Annotations, separator: str | None) -> list[Any]:
    if labels.kind in ("set", "tags"):
        if all(isinstance(value, str) for value in values):
            return split_labels(pl.Series("truth", values, dtype=pl.String), labels.kind, separator).to_list()
        return values
    return values if labels.classes is None else _alike(values, labels.classes)


def _new_classes(labels: Annotations, values: list[Any]) -> list[Any]:
    """What only the truth knows of."""
    if labels.classes is None:
        return []
    nested = labels.kind in ("set", "tags")
    flat = [name for value in values for name in (value if nested else (value,))]
    return [name for name in dict.fromkeys(flat) if name is not None and name not in labels.classes]
