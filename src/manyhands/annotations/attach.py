"""What is attached to a table once it stands: truths, features of annotators, an order of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError, ParameterError
from .kinds import read_labels
from .names import Names
from .ragged import starts_of

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["align", "with_annotator_features", "with_truth"]


def with_truth(table: Annotations, truth: Any) -> Annotations:
    """A mapping from task to label, (tasks, labels), or one entry a task; None is unknown."""
    ids, values = _pairs(table, truth)
    codes = table.tasks.codes(ids)
    _refuse_unknown(codes, ids, "truth")
    known = [i for i, value in enumerate(values) if not _unknown(value)]
    places, values = codes[known], [values[i] for i in known]
    _refuse_conflict(places, values, table)
    if table.kind == "number":
        numbers = np.full(table.n_units, np.nan)
        numbers[places] = read_labels(values, "number", None, None)[1].values
        return replace(table, truth=numbers)
    kind = "class" if table.kind == "soft" else table.kind
    answers = read_labels(values, kind, table.classes, None)[1]
    if table.kind == "tags":
        return _with_tags(table, places, answers)
    units = np.full((table.n_tasks, table._units_a_task), -1, dtype=np.int32)
    units[places] = answers.values.reshape(len(places), -1)
    return replace(table, truth=units.ravel())


def _with_tags(table: Annotations, places: np.ndarray, answers: Any) -> Annotations:
    """Known tags give tasks that nobody answered their length."""
    lengths = np.diff(table.unit_offsets)
    given = np.diff(answers.starts)
    silent = lengths[places] == 0
    lengths = lengths.copy()
    lengths[places[silent]] = given[silent]
    wrong = np.flatnonzero(lengths[places] != given)
    if len(wrong):
        task = table.tasks[places[wrong[0]]]
        raise LabelError(
            f"the truth of task {task!r} has {given[wrong[0]]} tags, its answers {lengths[places[wrong[0]]]}"
        )
    starts = starts_of(lengths)
    flat = np.full(starts[-1], -1, dtype=np.int32)
    flat[np.repeat(starts[:-1][places] - answers.starts[:-1], given) + np.arange(answers.starts[-1])] = (
        answers.values
    )
    return replace(table, unit_starts=starts, truth=flat)


def _pairs(table: Annotations, truth: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(truth, Mapping):
        return list(truth), list(truth.values())
    if isinstance(truth, tuple) and len(truth) == 2 and not isinstance(truth[0], (str, int, float)):
        return list(truth[0]), list(truth[1])
    values = truth.tolist() if isinstance(truth, np.ndarray) else list(truth)
    if len(values) != table.n_tasks:
        raise ParameterError(
            f"truth has {len(values)} entries for {table.n_tasks} tasks: give one a task (None: unknown), "
            f"or a mapping from task to label"
        )
    return table.tasks.to_list(), values


def _unknown(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and bool(np.isnan(value)))


def _refuse_conflict(places: np.ndarray, values: list[Any], table: Annotations) -> None:
    seen: dict[int, Any] = {}
    for place, value in zip(places.tolist(), values, strict=True):
        before = seen.setdefault(place, value)
        if before is not value and not np.array_equal(before, value):
            raise LabelError(
                f"task {table.tasks[place]!r} has two truths, {before!r} and {value!r}; keep one"
            )


def _refuse_unknown(codes: np.ndarray, ids: list[Any], what: str) -> None:
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        raise LabelError(
            f"{what} is given for {ids[int(unknown[0])]!r}, which is not in the table ({len(unknown)} such); "
            f"leave it out, or declare it with tasks= / annotators=",
            int(unknown[0]),
        )


def with_annotator_features(table: Annotations, features: Any) -> Annotations:
    """A mapping from annotator to a row of numbers, or a matrix with one row an annotator."""
    if isinstance(features, Mapping):
        codes = table.annotators.codes(list(features))
        _refuse_unknown(codes, list(features), "a feature row")
        rows = np.array(list(features.values()), dtype=np.float32)
        matrix = np.full((table.n_annotators, rows.shape[1]), np.nan, dtype=np.float32)
        matrix[codes] = rows
    else:
        matrix = np.array(features, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != table.n_annotators:
        raise ParameterError(
            f"annotator features of shape {matrix.shape}: give one row for each of {table.n_annotators}"
        )
    if not np.isfinite(matrix).all():
        j = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise LabelError(
            f"annotator {table.annotators[j]!r} has no finite features: give every annotator a row"
        )
    return replace(table, annotator_features=matrix)


def align(table: Annotations, ids: Any, missing: str = "unlabelled", extra: str = "error") -> Annotations:
    """The tasks in the order of ids."""
    wanted = Names(ids, "ids to align with")
    places = table.tasks.codes(wanted)
    if missing == "error" and (places < 0).any():
        raise LabelError(
            f"task {wanted[int(np.argmin(places))]!r} has no labels; use missing='unlabelled' to keep it"
        )
    left_out = np.setdiff1d(np.arange(table.n_tasks), places)
    if extra == "error" and len(left_out):
        raise LabelError(
            f"{len(left_out)} labelled tasks are not among the ids, the first {table.tasks[int(left_out[0])]!r}; "
            f"leave them out with extra='drop'"
        )
    grown = table.with_tasks(Names(wanted.take(np.flatnonzero(places < 0))))
    places[places < 0] = table.n_tasks + np.arange((places < 0).sum())
    return grown.take(places)
