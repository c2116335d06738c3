"""Tasks as tables: the consensus, and how sure and how disputed each one is."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..annotations.views import decode
from ..channels.votes import number_votes
from .decision import cheapest, cost_matrix
from .evidence import AbilityEvidence

if TYPE_CHECKING:
    from .result import Result

__all__ = ["consensus", "decisions", "tasks", "unit_labels"]


def consensus(result: Result, cost: Any = None, level: float = 0.95) -> pl.DataFrame:
    """task, label, confidence (for numbers sd, low, high), n; expected_cost where there is a cost."""
    labels = result.labels
    count = pl.Series("n", np.bincount(labels.task, minlength=labels.n_tasks).astype(np.int32))
    names = labels.tasks.to_series("task")
    if labels.kind == "number":
        if cost is not None:
            cost_matrix(cost, labels)  # refuses
        known = {"label": result.numbers.mean, "sd": result.numbers.sd}
        known |= dict(zip(("low", "high"), result.numbers.interval(level), strict=True))
        frame = pl.DataFrame([names, *(pl.Series(k, v).fill_nan(None) for k, v in known.items()), count])
    else:
        best, lost = decisions(result, cost)
        sure = _per_task(result, result.chances[np.arange(len(best)), best]).astype(np.float32)
        price = [] if lost is None else [pl.Series("expected_cost", _per_task(result, lost))]
        frame = pl.DataFrame([names, unit_labels(result, best), pl.Series("confidence", sure), *price, count])
    told = pl.Series(_has_votes(result) | _has_truth(result), dtype=pl.Boolean)
    columns = ("label", "sd", "low", "high") if labels.kind == "number" else ("label",)
    return frame.with_columns(pl.when(told).then(pl.col(c)).alias(c) for c in columns)


def decisions(result: Result, cost: Any = None) -> tuple[np.ndarray, np.ndarray | None]:
    """The class of every unit: the likeliest that may stand there; or that of least expected cost, and this cost."""
    if cost is None:
        return result.best, None
    return cheapest(result.chances, cost_matrix(cost, result.labels))


def unit_labels(result: Result, best: np.ndarray | None = None) -> pl.Series:
    """The label of every task, by default the likeliest, as a person would write it."""
    labels, best = result.labels, decisions(result)[0] if best is None else best
    classes = labels.classes
    assert classes is not None
    if labels.kind in ("tags", "set"):
        starts = labels.unit_offsets
        rows = [best[a:b] for a, b in pairwise(starts)]
        return pl.Series(
            "label", [decode(labels, row) for row in rows], dtype=pl.List(classes.to_series().dtype)
        )
    if not len(classes):
        return pl.Series("label", [None] * labels.n_tasks, dtype=pl.String)
    return classes.to_series("label").gather(best)


def tasks(result: Result, cost: Any = None) -> pl.DataFrame:
    """The consensus with how disputed each task is."""
    frame = consensus(result, cost)
    if result.labels.kind == "number":
        return frame.with_columns(_spread(result))
    posterior: Any = result.posterior
    columns = [
        pl.Series("agreement", _per_task(result, _agreement(result))).fill_nan(None),
        pl.Series("entropy", _per_task(result, posterior.entropy())),
    ]
    if isinstance(result.evidence, AbilityEvidence):
        columns.append(pl.Series("difficulty", _per_task(result, np.exp(-result.evidence.log_easiness))))
    return frame.with_columns(columns)


def _agreement(result: Result) -> np.ndarray:
    """The share of each unit's votes that went to its consensus label."""
    votes, best = result.votes, result.best
    weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
    agreed = np.bincount(votes.unit, weight * (votes.label == best[votes.unit]), votes.n_units)
    total = np.bincount(votes.unit, weight, votes.n_units)
    return np.divide(agreed, total, out=np.full(votes.n_units, np.nan), where=total > 0)


def _spread(result: Result) -> pl.Series:
    """The standard deviation of the answers to each task."""
    votes = number_votes(result.labels)
    count = np.bincount(votes.unit, minlength=votes.n_units)
    mean = np.bincount(votes.unit, votes.value, votes.n_units) / np.maximum(count, 1)
    squares = np.bincount(votes.unit, (votes.value - mean[votes.unit]) ** 2, votes.n_units)
    spread = np.sqrt(np.divide(squares, count - 1, out=np.full(votes.n_units, np.nan), where=count > 1))
    return pl.Series("spread", spread).fill_nan(None)


def _per_task(result: Result, values: np.ndarray) -> np.ndarray:
    """The mean over a task's units."""
    labels = result.labels
    if labels.n_units == labels.n_tasks and labels.kind not in ("tags", "set"):
        return values
    starts = labels.unit_offsets
    sums = np.concatenate([[0.0], np.cumsum(np.nan_to_num(values, nan=0.0), dtype=np.float64)])
    lengths = np.diff(starts)
    total = sums[starts[1:]] - sums[starts[:-1]]
    return np.divide(total, lengths, out=np.full(len(lengths), np.nan), where=lengths > 0)


def _has_votes(result: Result) -> np.ndarray:
    """Whether anybody said anything of a task; an abstention is no answer, unless it informs."""
    number = result.labels.kind == "number"
    unit = (number_votes(result.labels) if number else result.votes).unit
    voted = np.bincount(unit, minlength=result.labels.n_units) > 0
    return _per_task(result, voted.astype(float)) > 0


def _has_truth(result: Result) -> np.ndarray:
    """Whether a task's truth was told."""
    labels = result.labels
    if labels.truth is None or not result.uses_truth:
        return np.zeros(labels.n_tasks, dtype=bool)
    unknown = np.isnan(labels.truth) if labels.truth.dtype.kind == "f" else labels.truth < 0
    return _per_task(result, (~unknown).astype(float)) > 0
