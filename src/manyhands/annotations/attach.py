"""What is attached to a table once it stands: features of annotators, more tasks, an order of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError, ParameterError
from .encode import declared, hint
from .names import Names

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["align", "with_annotator_features", "with_tasks"]


def with_annotator_features(table: Annotations, features: Any) -> Annotations:
    """A mapping from annotator to a row of numbers, or a matrix with one row an annotator."""
    matrix = _from_mapping(table, features) if isinstance(features, Mapping) else _as_matrix(features)
    if matrix.ndim != 2 or len(matrix) != table.n_annotators or not matrix.shape[1]:
        raise ParameterError(
            f"annotator features of shape {matrix.shape}: give one row for each of {table.n_annotators}"
        )
    if not np.isfinite(matrix).all():
        j = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise LabelError(
            f"annotator {table.annotators[j]!r} has no finite features: give every annotator a row", j
        )
    return replace(table, annotator_features=matrix)


def _from_mapping(table: Annotations, features: Mapping[Any, Any]) -> np.ndarray:
    ids = list(features)
    codes = table.annotators.codes(ids)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(unknown[0])
        raise LabelError(
            f"features are given for {ids[row]!r}, which is not in the table ({len(unknown)} such)"
            f"{hint(table.annotators, ids[row])}; leave it out, or declare it with annotators=",
            row,
        )
    rows = _as_matrix(list(features.values()))
    width = rows.shape[1] if rows.ndim == 2 else 0
    matrix = np.full((table.n_annotators, width), np.nan, dtype=np.float32)
    matrix[codes] = rows
    return matrix


def _as_matrix(rows: Any) -> np.ndarray:
    try:
        return np.array(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise ParameterError("annotator features must be numbers, as many for every annotator") from None


def with_tasks(table: Annotations, new: Any) -> Annotations:
    """With these tasks after our own, nobody having answered them."""
    more = declared(new, "task ids")
    if not len(more):
        return table
    clash = np.flatnonzero(table.tasks.codes(more) >= 0)
    if len(clash):
        raise LabelError(f"task {more[int(clash[0])]!r} is in the table already; leave it out", int(clash[0]))
    starts = table.unit_starts
    if starts is not None:
        starts = np.append(starts, np.full(len(more), starts[-1]))
    units = 0 if starts is not None else len(more) * table._units_a_task
    truth = table.truth
    if truth is not None:
        truth = np.append(truth, np.full(units, np.nan if table.kind == "number" else -1, truth.dtype))
    return replace(table, tasks=table.tasks.union(more), unit_starts=starts, truth=truth)


def align(table: Annotations, ids: Any, missing: str = "unlabelled", extra: str = "error") -> Annotations:
    """The tasks in the order of ids."""
    for name, value, choices in (
        ("missing", missing, ("unlabelled", "error")),
        ("extra", extra, ("error", "drop")),
    ):
        if value not in choices:
            raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")
    wanted = declared(ids, "ids to align with")
    places = table.tasks.codes(wanted)
    _refuse_other_type(table, wanted, places)
    if missing == "error" and (places < 0).any():
        row = int(np.argmin(places))
        raise LabelError(f"task {wanted[row]!r} has no labels; use missing='unlabelled' to keep it", row)
    left_out = np.setdiff1d(np.arange(table.n_tasks), places)
    if extra == "error" and len(left_out):
        raise LabelError(
            f"{len(left_out)} labelled tasks are not among the ids, the first {table.tasks[int(left_out[0])]!r}; "
            f"leave them out with extra='drop'"
        )
    grown = with_tasks(table, wanted.take(np.flatnonzero(places < 0)))
    places[places < 0] = table.n_tasks + np.arange((places < 0).sum())
    return grown.take(places)


def _refuse_other_type(table: Annotations, wanted: Names, places: np.ndarray) -> None:
    """Not one id in common, and text against numbers: a slip that would lose every label in silence."""
    if len(wanted) and table.n_tasks and (places < 0).all() and wanted.are_text != table.tasks.are_text:
        ours, theirs = table.tasks[0], wanted[0]
        raise LabelError(
            f"no id to align with is a task: tasks are like {ours!r} ({type(ours).__name__}), the ids like "
            f"{theirs!r} ({type(theirs).__name__}); give ids of the same type"
        )
