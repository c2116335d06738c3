"""Known truths, laid beside a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..errors import LabelError, MixedTypesError, ParameterError, UnknownClassError
from .columns import Column, as_column, missing_rows
from .encode import hint, whole
from .kinds import Answers, read_labels
from .ragged import starts_of
from .recode import joint_classes, recode_answers

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["no_truth", "with_lengths", "with_truth", "write_truth"]


def with_truth(table: Annotations, truth: Any, grow: bool = False) -> Annotations:
    """A mapping from task to label, (tasks, labels), or one entry a task; an empty one is unknown.

    grow: classes that only truths have become classes too.
    """
    places, column = _places_and_labels(table, truth)
    known = np.setdiff1d(np.arange(len(column)), missing_rows(column))
    column = column[known] if isinstance(column, pl.Series) else [column[i] for i in known]
    places = places[known]
    try:
        table, answers = _read(table, column, grow)
    except LabelError as error:
        if error.row is None:
            raise
        task = table.tasks[places[error.row]]
        raise error.at(f"the truth of task {task!r}", int(known[error.row])) from None
    if answers.starts is not None:
        table = with_lengths(table, places, np.diff(answers.starts))
    unit, value = _unit_entries(table, places, answers)
    units = no_truth(table)
    write_truth(table, units, unit, value)
    return replace(table, truth=units)


def no_truth(table: Annotations) -> np.ndarray:
    """The truth of every unit as unknown, or a copy of what is known."""
    if table.kind == "number":
        return np.full(table.n_units, np.nan)
    return np.full(table.n_units, -1, dtype=np.int32)


def write_truth(table: Annotations, units: np.ndarray, unit: np.ndarray, value: np.ndarray) -> None:
    """Write truths of units; two that differ are an error."""
    said = ~np.isnan(value) if value.dtype.kind == "f" else value >= 0
    unit, value = unit[said], value[said]
    before = units[unit]
    units[unit] = value
    empty = np.isnan(before) if before.dtype.kind == "f" else before < 0
    wrong = np.flatnonzero((units[unit] != value) | (~empty & (before != value)))
    if not len(wrong):
        return
    entry = int(wrong[0])
    other = before[entry] if not empty[entry] else units[unit[entry]]
    task = int(np.searchsorted(table.unit_offsets, unit[entry], side="right")) - 1
    names = table.unit_classes
    shown = [float(v) if table.kind == "number" else names[int(v)] for v in (value[entry], other)]
    raise LabelError(f"task {table.tasks[task]!r} has two truths, {shown[0]!r} and {shown[1]!r}; keep one")


def with_lengths(table: Annotations, places: np.ndarray, given: np.ndarray) -> Annotations:
    """Sequences that nobody answered get the length of their known tags; others must have it."""
    lengths = np.diff(table.unit_offsets)
    silent = lengths[places] == 0
    lengths[places[silent]] = given[silent]
    wrong = np.flatnonzero(lengths[places] != given)
    if len(wrong):
        k = int(wrong[0])
        raise LabelError(
            f"the truth of task {table.tasks[places[k]]!r} has {given[k]} tags, its answers "
            f"{lengths[places[k]]}; give one tag a token"
        )
    if not silent.any():
        return table
    old = np.full(lengths.sum(), -1, dtype=np.int32)
    starts = starts_of(lengths)
    if table.truth is not None:
        answered = np.repeat(np.diff(table.unit_offsets) > 0, lengths)
        old[answered] = table.truth
    return replace(table, unit_starts=starts, truth=None if table.truth is None else old)


def _places_and_labels(table: Annotations, truth: Any) -> tuple[np.ndarray, Column]:
    if isinstance(truth, Mapping):
        truth = (list(truth), list(truth.values()))
    pairs = isinstance(truth, tuple) and len(truth) == 2 and not isinstance(truth[0], (str, int, float))
    if not pairs:
        column = _labels(truth)
        if len(column) != table.n_tasks:
            raise ParameterError(
                f"truth has {len(column)} entries for {table.n_tasks} tasks: give one a task (None: "
                f"unknown), or a mapping from task to label"
            )
        return np.arange(table.n_tasks), column
    ids = whole(as_column(truth[0], "task ids of the truth"), "task ids of the truth")
    places = table.tasks.codes(ids)
    unknown = np.flatnonzero(places < 0)
    if len(unknown):
        row = int(unknown[0])
        raise LabelError(
            f"truth is given for {ids[row]!r}, which is not in the table ({len(unknown)} such)"
            f"{hint(table.tasks, ids[row])}; leave it out, or declare it with tasks=",
            row,
        )
    column = _labels(truth[1])
    if len(column) != len(places):
        raise ParameterError(f"truth has {len(places)} tasks but {len(column)} labels; give one for each")
    return places, column


def _labels(values: Any) -> Column:
    """Empty subsets are truths, empty lists of tags none; as_column leaves both be."""
    return as_column(values, "truths")


def _read(table: Annotations, column: Column, grow: bool) -> tuple[Annotations, Answers]:
    if table.kind == "set":
        return _read_sets(table, column, grow)
    kind = "class" if table.kind == "soft" else table.kind
    try:
        return table, read_labels(column, kind, table.classes, None)[1]
    except UnknownClassError:
        if not grow:
            raise
    return _grown(table, read_labels(column, kind, None, None)[1])


def _grown(table: Annotations, answers: Answers) -> tuple[Annotations, Answers]:
    ours, theirs = table.classes, answers.classes
    assert ours is not None
    assert theirs is not None
    if len(ours) and ours.are_text != theirs.are_text:
        raise MixedTypesError(f"labels such as {ours[0]!r} and truths such as {theirs[0]!r} are of two types")
    classes = joint_classes([ours, theirs], "class")
    grown = replace(table, answers=recode_answers(table.answers, classes, table.kind))
    kind = "class" if table.kind == "soft" else table.kind
    return grown, recode_answers(answers, classes, kind)


def _read_sets(table: Annotations, column: Column, grow: bool) -> tuple[Annotations, Answers]:
    """Subsets; or {label: yes or no}, where a label that is left out is unknown."""
    try:
        return table, read_labels(column, "set", table.classes, None)[1]
    except UnknownClassError:
        if not grow:
            raise
    return _grown(table, read_labels(column, "set", None, None)[1])


def _unit_entries(table: Annotations, places: np.ndarray, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """Which unit each code of the answers is about."""
    first = table.unit_offsets[places]
    lengths = (
        np.diff(answers.starts) if answers.starts is not None else np.full(len(places), table._units_a_task)
    )
    ends = starts_of(lengths)
    unit = np.repeat(first - ends[:-1], lengths) + np.arange(ends[-1])
    return unit, answers.values.ravel()
