"""From codes to the table: empty labels, the order by task, repeated answers, truths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..errors import LabelError, MissingLabelError, ParameterError, RepeatedAnswerError
from .kinds import Answers
from .names import Names
from .ragged import group, starts_of

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["MISSING", "REPEATS", "assemble"]

MISSING = ("error", "drop", "abstain")
REPEATS = ("error", "first", "last", "all")
T = TypeVar("T", bound="Annotations")


class _Columns(NamedTuple):
    """The columns of a table under construction, and which row of the input each entry was."""

    task: np.ndarray
    annotator: np.ndarray
    answers: Answers
    columns: dict[str, np.ndarray]
    row: np.ndarray

    def take(self, chosen: np.ndarray) -> _Columns:
        columns = {name: values[chosen] for name, values in self.columns.items()}
        return _Columns(
            self.task[chosen], self.annotator[chosen], self.answers.take(chosen), columns, self.row[chosen]
        )


def assemble(
    cls: type[T],
    kind: str,
    tasks: Names,
    annotators: Names,
    task: np.ndarray,
    annotator: np.ndarray,
    answers: Answers,
    columns: Mapping[str, Any] | None = None,
    missing: str = "error",
    repeats: str = "error",
    truth: Any = None,
) -> T:
    """The table, after every check that needs the codes."""
    _one_of("missing", missing, MISSING)
    _one_of("repeats", repeats, REPEATS)
    extra = {name: np.array(values) for name, values in (columns or {}).items()}
    given = _Columns(
        task.astype(np.int32),
        annotator.astype(np.int32),
        answers,
        extra,
        np.arange(len(task), dtype=np.int32),
    )
    given = _without_empty(given, kind, missing, tasks, annotators)
    given = _by_task(given, len(tasks))
    given = _without_repeats(given, repeats, tasks, annotators)
    unit_starts = _token_starts(given, tasks) if kind == "tags" else None
    table = cls(
        kind, tasks, annotators, given.task, given.annotator, replace(given.answers, empty=np.empty(0, int)),
        unit_starts, columns=given.columns,
    )  # fmt: skip
    return table if truth is None else table.with_truth(truth)


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")


def _without_empty(given: _Columns, kind: str, missing: str, tasks: Names, annotators: Names) -> _Columns:
    empty = given.answers.empty
    if not len(empty) or (missing == "abstain" and kind != "tags"):
        return given  # an empty label has the code of an abstention already
    if missing == "error":
        row = int(empty[0])
        raise MissingLabelError(
            f"row {row} (task {tasks[given.task[row]]!r}, annotator {annotators[given.annotator[row]]!r}) has "
            f"an empty label; {len(empty)} such rows. Drop them with missing='drop' (--missing drop), or "
            f"count them as 'cannot say' with missing='abstain'",
            row,
        )
    keep = np.ones(len(given.task), dtype=bool)
    keep[empty] = False
    return given.take(np.flatnonzero(keep))


def _by_task(given: _Columns, n_tasks: int) -> _Columns:
    if (np.diff(given.task) >= 0).all():
        return given
    return given.take(group(given.task, n_tasks)[0])


def _without_repeats(given: _Columns, repeats: str, tasks: Names, annotators: Names) -> _Columns:
    if repeats == "all" or not len(given.task):
        return given
    # By annotator, tasks still ascend: a repeated pair stands next to itself.
    order, _ = group(given.annotator, len(annotators))
    task, annotator = given.task[order], given.annotator[order]
    again = np.flatnonzero((task[1:] == task[:-1]) & (annotator[1:] == annotator[:-1]))
    if not len(again):
        return given
    if repeats == "error":
        _refuse_repeat(given, order[again[0]], order[again[0] + 1], len(again), tasks, annotators)
    keep = np.ones(len(given.task), dtype=bool)
    keep[order[again + 1] if repeats == "first" else order[again]] = False
    return given.take(np.flatnonzero(keep))


def _refuse_repeat(
    given: _Columns, first: int, second: int, count: int, tasks: Names, annotators: Names
) -> None:
    raise RepeatedAnswerError(
        f"annotator {annotators[given.annotator[first]]!r} answered task {tasks[given.task[first]]!r} in row "
        f"{given.row[first]} and again in row {given.row[second]}; {count} such repeats. Keep one with "
        f"repeats='first' or 'last' (--repeats first), or both with repeats='all'",
        int(given.row[second]),
    )


def _token_starts(given: _Columns, tasks: Names) -> np.ndarray:
    """Where each task's tokens start; all answers to one task must be of one length."""
    assert given.answers.starts is not None
    lengths = np.diff(given.answers.starts)
    per_task = np.zeros(len(tasks), dtype=np.int64)
    per_task[given.task] = lengths
    wrong = np.flatnonzero(per_task[given.task] != lengths)
    if len(wrong):
        place = wrong[0]
        i = given.task[place]
        raise LabelError(
            f"task {tasks[i]!r} has {lengths[place]} tags in row {given.row[place]} but {per_task[i]} in "
            f"another: give one tag a token in every answer",
            int(given.row[place]),
        )
    return starts_of(per_task)
