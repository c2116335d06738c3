"""A table whose tasks are spread over processes: the same annotators and classes in each; and put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LabelError
from ..processes import agree, gathered, size
from .concat import joined_features
from .kinds import Answers
from .names import Names
from .ragged import starts_of
from .recode import joint_classes, recode_answers, recode_values

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["stacked", "united"]


def united(labels: Annotations) -> Annotations:
    """The tasks of this process, with the annotators and classes of all; alone, the table as it is.

    Every process calls it with its own shard, which may be empty. Annotators come in the order of the
    processes, classes in that of `concat`.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_matrix([[0, 1]])
    >>> united(labels) is labels
    True
    """
    if size() == 1:
        return labels
    agree("the kind of label", labels.kind)
    annotators = gathered(labels.annotators)
    features = gathered(labels.annotator_features)
    named = [part for part in gathered(labels.classes) if part is not None and len(part)]
    classes = joint_classes(named, labels.kind) if named else labels.classes
    whole = reduce(Names.union, annotators)
    if whole != labels.annotators:
        labels = replace(
            labels, annotators=whole,
            annotator=whole.codes(labels.annotators)[labels.annotator].astype(np.int32),
            annotator_features=joined_features(whole, annotators, features),
        )  # fmt: skip
    if classes is None or classes == labels.classes:
        return labels
    return replace(
        labels, truth=_recoded(labels, classes), answers=recode_answers(labels.answers, classes, labels.kind)
    )


def _recoded(labels: Annotations, classes: Names) -> np.ndarray | None:
    """The known truths in the codes of more classes."""
    if labels.truth is None or labels.classes is None:
        return None
    if labels.kind != "set":
        return recode_values(labels.truth, labels.classes, classes, "class")
    wide = np.full((labels.n_tasks, len(classes)), -1, dtype=labels.truth.dtype)
    wide[:, classes.codes(labels.classes)] = labels.truth.reshape(labels.n_tasks, -1)
    return wide.ravel()


def stacked(tables: Sequence[Annotations]) -> Annotations:
    """Tables of other tasks each, in the same annotators and classes, one after the other.

    Tasks that are merely numbered in each are numbered anew. Columns alongside are kept where all have them.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_matrix([[0, 1], [1, 1], [0, 0]])
    >>> whole = stacked([labels[:1], labels[1:]])
    >>> whole.n_tasks, whole.answers.values.tolist()
    (3, [0, 1, 1, 1, 0, 0])
    """
    first = tables[0]
    before = np.cumsum([0, *(table.n_tasks for table in tables)])
    columns = [name for name in first.columns if all(name in table.columns for table in tables)]
    task = np.concatenate([t.task + np.int32(b) for t, b in zip(tables, before, strict=False)])
    starts = [np.diff(table.unit_offsets) for table in tables]
    return replace(
        first, tasks=_tasks(tables, int(before[-1])), task=task.astype(np.int32),
        annotator=np.concatenate([table.annotator for table in tables]),
        answers=_answers([table.answers for table in tables]),
        unit_starts=None if first.unit_starts is None else starts_of(np.concatenate(starts)),
        truth=_truths(tables),
        columns={name: np.concatenate([table.columns[name] for table in tables]) for name in columns},
    )  # fmt: skip


def _tasks(tables: Sequence[Annotations], n: int) -> Names:
    if all(table.tasks.are_codes for table in tables):
        return Names.range(n)
    whole = reduce(Names.union, [table.tasks for table in tables])
    if len(whole) < n:
        raise LabelError("a task is in the tables of two processes: divide them by task, not by answer")
    return whole


def _answers(parts: list[Answers]) -> Answers:
    values = np.concatenate([part.values for part in parts])
    if parts[0].starts is None:
        return Answers(values, parts[0].classes)
    lengths = np.concatenate([np.diff(part.starts) for part in parts if part.starts is not None])
    return Answers(values, parts[0].classes, starts=starts_of(lengths))


def _truths(tables: Sequence[Annotations]) -> np.ndarray | None:
    if all(table.truth is None for table in tables):
        return None
    unknown = np.nan if tables[0].kind == "number" else -1
    return np.concatenate(
        [np.full(table.n_units, unknown) if table.truth is None else table.truth for table in tables]
    ).astype(next(table.truth.dtype for table in tables if table.truth is not None))
