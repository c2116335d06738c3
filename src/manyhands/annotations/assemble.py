"""From codes to the table: empty labels, the order by task, repeated answers, lengths of sequences.

Ten million rows pass here, so columns stay narrow, what is in order already is not copied, and
what is done is let go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import LabelError, MissingLabelError, ParameterError, RepeatedAnswerError
from .kinds import ABSTAINED, Answers
from .names import Names
from .ragged import ascends, group_values, starts_of

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["MISSING", "REPEATS", "Given", "as_given", "assemble"]

MISSING = ("error", "drop", "abstain")
REPEATS = ("error", "first", "last", "all")
RESERVED = ("task", "annotator", "label")


class Given(NamedTuple):
    """A table under construction; `row` is which row of the input each entry was (None: itself)."""

    kind: str
    tasks: Names
    annotators: Names
    task: np.ndarray
    annotator: np.ndarray
    answers: Answers
    columns: dict[str, np.ndarray]
    row: np.ndarray | None = None

    def keep(self, mask: np.ndarray, track: bool = True) -> Given:
        """The rows where the mask is true; track: remember which rows they were."""
        row = np.arange(len(mask), dtype=np.int32) if track and self.row is None else self.row
        return self._replace(
            task=self.task[mask],
            annotator=self.annotator[mask],
            answers=self.answers.take(mask),
            columns={name: values[mask] for name, values in self.columns.items()},
            row=None if row is None or not track else row[mask],
        )

    def row_of(self, place: int) -> int:
        """The row of the input that this entry was."""
        return int(place if self.row is None else self.row[place])


def as_given(
    kind: str,
    tasks: tuple[Names, np.ndarray],
    annotators: tuple[Names, np.ndarray],
    answers: Answers,
    columns: Mapping[str, Any] | None,
) -> Given:
    """Columns of one length; int32 codes are taken over, the columns alongside are copied."""
    lengths = {"task": len(tasks[1]), "annotator": len(annotators[1]), "label": len(answers)}
    if len(set(lengths.values())) > 1:
        raise LabelError(f"the three columns must be of one length, but they have {lengths}")
    task, annotator = (codes.astype(np.int32, copy=False) for codes in (tasks[1], annotators[1]))
    return Given(kind, tasks[0], annotators[0], task, annotator, answers, _extra(columns or {}, len(task)))


def assemble(
    cls: type[Annotations], given: Given, missing: str = "error", repeats: str = "error"
) -> Annotations:
    """The table, after every check that needs the codes. Nobody else should hold what is given."""
    _one_of("missing", missing, MISSING)
    _one_of("repeats", repeats, REPEATS)
    given = _without_empty(given, drop=missing == "drop", error=missing == "error")
    given = _by_task(given)
    given = _without_repeats(given, repeats)
    unit_starts = None
    if given.kind == "tags":
        given, unit_starts = _by_token(given)
    answers = replace(given.answers, empty=np.empty(0, dtype=np.int64))
    return cls(
        given.kind, given.tasks, given.annotators, given.task, given.annotator, answers, unit_starts,
        columns=given.columns,
    )  # fmt: skip


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")


def _extra(columns: Mapping[str, Any], size: int) -> dict[str, np.ndarray]:
    extra = {name: np.array(values) for name, values in columns.items()}
    for name, values in extra.items():
        if name in RESERVED:
            raise ParameterError(f"a column alongside cannot be called {name!r}; rename it")
        if values.shape != (size,):
            raise LabelError(
                f"column {name!r} has shape {values.shape}; give one entry for each of {size} rows"
            )
    return extra


def _without_empty(given: Given, drop: bool, error: bool) -> Given:
    empty = given.answers.empty
    if not len(empty) or not (drop or error):
        return given  # an empty label has the code of an abstention already
    if error:
        row = int(empty[0])
        raise MissingLabelError(
            f"row {row} (task {given.tasks[given.task[row]]!r}, annotator "
            f"{given.annotators[given.annotator[row]]!r}) has an empty label; {len(empty)} such rows. Drop them with "
            f"missing='drop' (--missing drop), or count them as 'cannot say' with missing='abstain'",
            row,
        )
    keep = np.ones(len(given.task), dtype=bool)
    keep[empty] = False
    return given.keep(keep)


def _by_task(given: Given) -> Given:
    if ascends(given.task):
        return given
    order, starts, annotator = group_values(given.task, len(given.tasks), given.annotator)
    return given._replace(
        task=np.repeat(np.arange(len(given.tasks), dtype=np.int32), np.diff(starts)),
        annotator=annotator,
        answers=given.answers.take(order),
        columns={name: values[order] for name, values in given.columns.items()},
        row=order if given.row is None else given.row[order],
    )


def _without_repeats(given: Given, repeats: str) -> Given:
    if repeats == "all" or not _any_repeat(given):
        return given
    before, after = _repeats(given.task, given.annotator, len(given.annotators))
    if repeats == "error":
        _refuse_repeat(given, before, after)
    keep = np.ones(len(given.task), dtype=bool)
    keep[after if repeats == "first" else before] = False
    return given.keep(keep, track=given.kind == "tags")


def _any_repeat(given: Given) -> bool:
    """Whether a matrix of who answered what has fewer entries than there are answers."""
    from scipy.sparse import csr_array

    marks = np.ones(len(given.task), dtype=bool)
    shape = (max(len(given.annotators), 1), max(len(given.tasks), 1))
    return bool(csr_array((marks, (given.annotator, given.task)), shape=shape).nnz < len(marks))


def _repeats(task: np.ndarray, annotator: np.ndarray, n_annotators: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of places where one annotator answers one task, and answers it again.

    By annotator, tasks still ascend: a repeated pair stands next to itself.
    """
    order, starts, by_annotator = group_values(annotator, n_annotators, task)
    again = np.flatnonzero(by_annotator[1:] == by_annotator[:-1]) + 1
    again = again[~np.isin(again, starts)]  # the last task of one annotator, the first of the next
    return order[again - 1], order[again]


def _refuse_repeat(given: Given, before: np.ndarray, after: np.ndarray) -> None:
    rows = after if given.row is None else given.row[after]
    pair = int(np.argmin(rows))
    first, second = int(before[pair]), int(after[pair])
    raise RepeatedAnswerError(
        f"annotator {given.annotators[given.annotator[first]]!r} answered task "
        f"{given.tasks[given.task[first]]!r} in row {given.row_of(first)} and again in row "
        f"{given.row_of(second)}; {len(after)} such repeats. Keep one with "
        f"repeats='first' or 'last' (--repeats first), or both with repeats='all'",
        given.row_of(second),
    )


def _by_token(given: Given) -> tuple[Given, np.ndarray]:
    """Where each task's tokens start; all answers to one task must be of one length.

    An empty label that is left stands for "cannot say" on every token of its task.
    """
    answers = given.answers
    assert answers.starts is not None
    lengths = np.diff(answers.starts)
    per_task = np.zeros(len(given.tasks), dtype=np.int64)
    np.maximum.at(per_task, given.task, lengths)
    spoken = np.ones(len(lengths), dtype=bool)
    spoken[answers.empty] = False
    wrong = np.flatnonzero(spoken & (per_task[given.task] != lengths))
    if len(wrong):
        _refuse_length(given, lengths, int(wrong[0]), int(per_task[given.task[wrong[0]]]))
    starts = starts_of(per_task[given.task])
    values = np.full(starts[-1], ABSTAINED, dtype=answers.values.dtype)
    values[np.repeat(spoken, np.diff(starts))] = answers.values
    return given._replace(answers=replace(answers, values=values, starts=starts)), starts_of(per_task)


def _refuse_length(given: Given, lengths: np.ndarray, place: int, longest: int) -> None:
    row = given.row_of(place)
    raise LabelError(
        f"task {given.tasks[given.task[place]]!r} has {lengths[place]} tags in row {row} but {longest} in "
        f"another: give one tag a token in every answer",
        row,
    )
