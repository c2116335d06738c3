"""The table as other things: a long frame, a list of truths, one plain vote a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import UnsupportedError
from .kinds import ABSTAINED

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["decode", "equal", "plain_consensus", "to_frame", "truths"]


def to_frame(table: Annotations) -> pl.DataFrame:
    """One row an answer: task, annotator, label, and the columns alongside."""
    tasks, annotators = table.tasks.to_series("task"), table.annotators.to_series("annotator")
    return pl.DataFrame(
        [
            tasks.gather(table.task),
            annotators.gather(table.annotator),
            labels_of(table),
            *(pl.Series(name, values) for name, values in table.columns.items()),
        ]
    )


def labels_of(table: Annotations) -> pl.Series:
    """The label of each answer as it was given; null is an abstention."""
    values = table.answers.values
    if table.kind in ("class", "ordinal"):
        assert table.classes is not None
        if not len(table.classes):  # nobody said anything
            return pl.Series("label", [None] * len(values), dtype=pl.String)
        codes = pl.Series(np.where(values < 0, 0, values))
        spoken = pl.Series(values >= 0)
        return pl.select(pl.when(spoken).then(table.classes.to_series("label").gather(codes)).alias("label"))[
            "label"
        ]
    if table.kind == "number":
        return pl.Series("label", values).fill_nan(None)
    starts = table.answers.starts if table.answers.starts is not None else np.arange(len(values) + 1)
    flat = values if table.answers.starts is None else None
    rows = [values[a:b] if flat is None else values[a] for a, b in zip(starts[:-1], starts[1:], strict=True)]
    return pl.Series("label", [decode(table, row) for row in rows], strict=False)


def decode(table: Annotations, row: Any) -> Any:
    """The codes of one answer (or truth) as the label a person gave; None where nothing was said."""
    if table.kind == "number":
        return None if np.isnan(row) else float(row)
    classes = table.classes
    assert classes is not None
    if table.kind == "tags":
        return [None if code < 0 else classes[code] for code in row]
    if table.kind == "set":
        return None if (np.asarray(row) < 0).any() else [classes[i] for i in np.flatnonzero(row)]
    if table.kind == "soft" and np.ndim(row) == 1:
        return None if np.isnan(row).any() else {str(c): float(p) for c, p in zip(classes, row, strict=True)}
    return None if row == ABSTAINED else classes[int(row)]


def truths(table: Annotations) -> list[Any]:
    """The known truth of each task, None where unknown."""
    if table.truth is None:
        return [None] * table.n_tasks
    if table.kind in ("tags", "set"):
        starts = table.unit_offsets
        rows = (table.truth[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True))
        return [None if (row < 0).any() or not len(row) else decode(table, row) for row in rows]
    return [decode(table, code) for code in table.truth]


def plain_consensus(table: Annotations) -> np.ndarray:
    """The majority label of each task, ties to the first class, or the mean number."""
    if table.kind == "number":
        spoken = ~np.isnan(table.answers.values)
        total = np.bincount(table.task[spoken], table.answers.values[spoken], table.n_tasks)
        with np.errstate(invalid="ignore"):
            return total / np.bincount(table.task[spoken], minlength=table.n_tasks)
    if table.kind not in ("class", "ordinal"):
        raise UnsupportedError(f"kind={table.kind!r} has no single label a task; split by position instead")
    assert table.classes is not None
    spoken = table.answers.values >= 0
    cells = table.task[spoken] * np.int64(table.n_classes) + table.answers.values[spoken]
    votes = np.bincount(cells, minlength=table.n_tasks * table.n_classes).reshape(table.n_tasks, -1)
    return np.array(table.classes.to_list())[votes.argmax(axis=1)]


def equal(a: Annotations, b: Annotations) -> bool:
    """Whether two tables hold the same."""
    same_names = a.kind == b.kind and a.tasks == b.tasks and a.annotators == b.annotators
    return same_names and a.classes == b.classes and all(
        _same(x, y)
        for x, y in (
            (a.task, b.task), (a.annotator, b.annotator), (a.answers.values, b.answers.values),
            (a.unit_offsets, b.unit_offsets), (a.truth, b.truth), (a.annotator_features, b.annotator_features),
            (list(a.columns), list(b.columns)),
            *((a.columns[name], b.columns.get(name)) for name in a.columns),
        )
    )  # fmt: skip


def _same(x: Any, y: Any) -> bool:
    if x is None or y is None:
        return x is None and y is None
    x, y = np.asarray(x), np.asarray(y)
    return bool(np.array_equal(x, y, equal_nan=x.dtype.kind == "f" and y.dtype.kind == "f"))
