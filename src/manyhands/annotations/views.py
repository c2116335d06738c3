"""The table as other things: a long frame, a list of truths, one plain vote a task."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import UnsupportedError
from .kinds import ABSTAINED, NOT_ASKED
from .names import Names
from .ragged import counts

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
            *(_series(name, values) for name, values in table.columns.items()),
        ]
    )


def _series(name: str, values: np.ndarray) -> pl.Series:
    return pl.Series(name, values.tolist() if values.dtype.kind == "O" else values.copy(), strict=False)


def labels_of(table: Annotations) -> pl.Series:
    """The label of each answer as it was given; null is an abstention."""
    values = table.answers.values
    if table.kind in ("class", "ordinal"):
        assert table.classes is not None
        codes = pl.Series(values).cast(pl.Int32)
        return table.classes.to_series("label").gather(codes.set(pl.Series(values < 0), None))
    if table.kind == "number":
        return pl.Series("label", values.copy()).fill_nan(None)
    if table.kind == "tags":
        return _tag_lists(table)
    labels = [decode(table, row) for row in values]
    partly = table.kind == "set" and any(isinstance(label, dict) for label in labels)
    return pl.Series("label", labels, strict=False, dtype=pl.Object if partly else None)


def _tag_lists(table: Annotations) -> pl.Series:
    assert table.classes is not None
    assert table.answers.starts is not None
    names = [*table.classes, None]  # the code of an abstention is the last place
    flat = [names[code] for code in table.answers.values.tolist()]
    lists = [flat[a:b] for a, b in pairwise(table.answers.starts.tolist())]
    return pl.Series("label", lists, strict=False)


def decode(table: Annotations, row: Any) -> Any:
    """The codes of one answer (or truth) as the label a person gave; None where nothing was said."""
    if table.kind == "number":
        return None if np.isnan(row) else float(row)
    classes = table.classes
    assert classes is not None
    if table.kind == "tags":
        return [None if code < 0 else classes[code] for code in row]
    if table.kind == "set":
        return _decode_set(classes, np.asarray(row))
    if table.kind == "soft" and np.ndim(row) == 1:
        return None if np.isnan(row).any() else {str(c): float(p) for c, p in zip(classes, row, strict=True)}
    return None if row == ABSTAINED else classes[int(row)]


def _decode_set(classes: Names, row: np.ndarray) -> Any:
    """The members; {label: yes or no} where not all were asked about or answered."""
    if (row >= 0).all():
        return [classes[int(i)] for i in np.flatnonzero(row)]
    if (row == ABSTAINED).all():
        return None
    said = {1: True, 0: False, ABSTAINED: None}
    return {classes[int(i)]: said[int(row[i])] for i in np.flatnonzero(row != NOT_ASKED)}


def truths(table: Annotations) -> list[Any]:
    """The known truth of each task, None where nothing of it is known.

    A set of which only some labels are known comes as {label: yes or no}.
    """
    if table.truth is None:
        return [None] * table.n_tasks
    if table.kind in ("tags", "set"):
        parts = (table.truth[a:b] for a, b in pairwise(table.unit_offsets))
        return [None if (part < 0).all() else _decode_known(table, part) for part in parts]
    return [decode(table, code) for code in table.truth]


def _decode_known(table: Annotations, part: np.ndarray) -> Any:
    if table.kind == "tags" or (part >= 0).all():
        return decode(table, part)
    assert table.classes is not None
    return {table.classes[int(i)]: bool(part[i]) for i in np.flatnonzero(part >= 0)}


def plain_consensus(table: Annotations) -> np.ndarray:
    """The majority label of each task, ties and tasks without a label to the first class; or the mean number.

    >>> from manyhands import Annotations
    >>> plain_consensus(Annotations.from_matrix([[0, 1, 1], [1, 0, -1]])).tolist()
    [1, 0]
    """
    if table.kind == "number":
        return _means(table)
    if table.kind not in ("class", "ordinal"):
        raise UnsupportedError(f"kind={table.kind!r} has no single label a task; split by position instead")
    assert table.classes is not None
    names = np.empty(len(table.classes), dtype=object)
    names[:] = table.classes.to_list()
    if not len(names):
        return np.full(table.n_tasks, None)
    if len({type(name) for name in names}) == 1 and not isinstance(names[0], (tuple, frozenset)):
        names = np.array(names.tolist())
    return names[_majority(table)]


def _means(table: Annotations) -> np.ndarray:
    spoken = ~np.isnan(table.answers.values)
    total = np.bincount(table.task[spoken], table.answers.values[spoken], table.n_tasks)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / counts(table.task[spoken], table.n_tasks))


def _majority(table: Annotations) -> np.ndarray:
    """Never a table of tasks by classes: only the pairs that occur are counted."""
    spoken = table.answers.values >= 0
    cells = table.task[spoken] * np.int64(table.n_classes) + table.answers.values[spoken]
    cells, votes = np.unique(cells, return_counts=True)
    task = cells // table.n_classes
    order = np.lexsort((-votes, task))  # stable: of equal votes the first class stands first
    first = np.flatnonzero(np.diff(task[order], prepend=-1))
    winners = np.zeros(table.n_tasks, dtype=np.int64)
    winners[task[order][first]] = (cells % table.n_classes)[order][first]
    return winners


def equal(a: Annotations, b: Annotations) -> bool:
    """Whether two tables hold the same."""
    same_names = a.kind == b.kind and a.tasks == b.tasks and a.annotators == b.annotators
    return same_names and a.classes == b.classes and all(
        _same(x, y)
        for x, y in (
            (a.task, b.task), (a.annotator, b.annotator), (a.answers.values, b.answers.values),
            (a.answers.starts, b.answers.starts), (a.unit_offsets, b.unit_offsets), (a.truth, b.truth), (a.annotator_features, b.annotator_features),
            (list(a.columns), list(b.columns)),
            *((a.columns[name], b.columns.get(name)) for name in a.columns),
        )
    )  # fmt: skip


def _same(x: Any, y: Any) -> bool:
    if x is None or y is None:
        return x is None and y is None
    x, y = np.asarray(x), np.asarray(y)
    return bool(np.array_equal(x, y, equal_nan=x.dtype.kind == "f" and y.dtype.kind == "f"))
