"""Labels task by task, as tools write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ...annotations import Annotations

__all__ = ["Reply", "TaskAnswers", "in_order", "number_or_name", "spoken"]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Reply(NamedTuple):
    """One answer to a task; label None: an abstention."""

    annotator: str
    label: Any
    seconds: float | None


class TaskAnswers(NamedTuple):
    """A task with its answers. data: what it shows."""

    task: str
    replies: list[Reply]
    truth: Any
    data: dict[str, Any]


def in_order(labels: Annotations, contents: Mapping[str, dict[str, Any]]) -> Iterator[TaskAnswers]:
    """Every task that has an answer or a truth.

    >>> [one] = in_order(Annotations.from_dict({"t": {"ann": "x"}}), {})
    >>> one.replies
    [Reply(annotator='ann', label='x', seconds=None)]
    """
    truths = labels.truths() if labels.truth is not None else [None] * labels.n_tasks
    names, people = [str(t) for t in labels.tasks], [str(a) for a in labels.annotators]
    said = labels.to_frame().get_column("label").to_list()
    seconds = _seconds(labels)
    rows = zip(labels.task.tolist(), labels.annotator.tolist(), said, seconds, strict=True)
    replies = {
        task: [Reply(people[who], spoken(label), time) for _, who, label, time in group]
        for task, group in groupby(rows, key=itemgetter(0))
    }
    for task, name in enumerate(names):
        if task in replies or truths[task] is not None:
            yield TaskAnswers(name, replies.pop(task, []), truths[task], contents.get(name, {}))


def spoken(label: Any) -> Any:
    """Tags of which none is known say nothing, as no label does."""
    return None if isinstance(label, list) and label and all(one is None for one in label) else label


def _seconds(labels: Annotations) -> list[float | None]:
    column = labels.columns.get("seconds")
    if column is None or column.dtype.kind not in "fiu":
        return [None] * labels.n_answers
    return [float(s) if np.isfinite(s) else None for s in column.tolist()]


def number_or_name(name: str) -> int | str:
    """A whole number where the text is one as it is written: ids of servers are numbers.

    >>> number_or_name("17"), number_or_name("007"), number_or_name("img-1")
    (17, '007', 'img-1')
    """
    return int(name) if _WHOLE.fullmatch(name) else name
