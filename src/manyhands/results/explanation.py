"""Why a task has the label it has: who said what, and what each vote weighed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..channels.votes import number_votes
from ..errors import ParameterError

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Explanation", "Vote", "explain", "explain_at"]


@dataclass(frozen=True)
class Vote:
    """One vote. weight: log-odds that it adds for the label against its rival, or what it counts."""

    annotator: Any
    label: Any
    weight: float


@dataclass(frozen=True)
class Explanation:
    """A task's label, the rival that it beat, and the votes for and against, heaviest first.

    Where the method multiplies evidence, prior + the votes' weights = log(confidence / chance of
    the rival), exactly; but a truth that was told needs no evidence.
    """

    task: Any
    label: Any
    confidence: float | None
    rival: Any
    prior: float
    votes: tuple[Vote, ...]
    unit_of_weight: str
    position: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def __str__(self) -> str:
        sure = "" if self.confidence is None else f" ({self.confidence:.3f})"
        at = "" if self.position is None else f", position {self.position}"
        lines = [f"task {self.task!r}{at}: {self.label!r}{sure}"]
        if self.unit_of_weight == "log-odds":
            lines.append(f"  against {self.rival!r}, in log-odds: {self.prior:+.2f} before any vote")
        lines += [f"  {v.annotator!r} said {v.label!r}: {v.weight:+.2f}" for v in self.votes]
        return "\n".join(lines)


def explain(result: Result, task: Any, position: int | None) -> Explanation:
    """The explanation of one task, or of one position in it."""
    return explain_at(result, result.task_code(task), position)


def explain_at(result: Result, code: int, position: int | None) -> Explanation:
    """The same of the task at this place in the table."""
    task = result.labels.tasks[code]
    if result.labels.kind == "number":
        return _of_number(result, task, code)
    unit, position = _unit(result, code, position)
    return _of_class(result, task, unit, position)


def _unit(result: Result, code: int, position: int | None) -> tuple[int, int | None]:
    start, end = (int(v) for v in result.labels.unit_offsets[code : code + 2])
    if result.labels.kind not in ("tags", "set"):
        return start, None
    if position is None:
        position = int(result.posterior.entropy()[start:end].argmax()) if end > start else 0  # type: ignore[union-attr]
    if not 0 <= position < end - start:
        raise ParameterError(f"position={position!r}: the task has positions 0 to {end - start - 1}")
    return start + position, position


def _of_class(result: Result, task: Any, unit: int, position: int | None) -> Explanation:
    votes, classes, chances = result.votes, result.classes, result.chances[unit]
    order = np.argsort(-chances, kind="stable")
    label, rival = int(order[0]), int(order[1]) if len(order) > 1 else int(order[0])
    a, b = np.searchsorted(votes.unit, [unit, unit + 1])
    weights = result.evidence.columns().get("weight")
    said = []
    for n in range(int(a), int(b)):
        j, given = int(votes.annotator[n]), int(votes.label[n])
        share = 1.0 if votes.weight is None else float(votes.weight[n])
        row = result.evidence.of_vote(unit, j, given, len(classes))
        plain = float(weights[j]) if weights is not None else 1.0
        weight = plain if row is None else float(row[label] - row[rival])
        name = classes[given] if given < len(classes) else None
        said.append(Vote(result.labels.annotators[j], name, share * weight))
    log_truth = getattr(result.evidence, "log_truth", None)
    if log_truth is not None and log_truth.ndim == 2:
        log_truth = log_truth[unit]
    prior = 0.0 if log_truth is None else float(log_truth[label] - log_truth[rival])
    heaviest = tuple(sorted(said, key=lambda v: -abs(v.weight)))
    unit_of_weight = "log-odds" if log_truth is not None else "votes"
    return Explanation(
        task, classes[label], float(chances[label]), classes[rival], prior, heaviest, unit_of_weight, position
    )


def _of_number(result: Result, task: Any, code: int) -> Explanation:
    votes = number_votes(result.labels)
    a, b = (int(v) for v in np.searchsorted(votes.unit, [code, code + 1]))
    sd = result.evidence.columns().get("sd")
    raw = np.ones(b - a) if sd is None else sd[votes.annotator[a:b]] ** -2.0
    share = raw / raw.sum() if b > a else raw
    said = [
        Vote(result.labels.annotators[int(votes.annotator[n])], float(votes.value[n]), float(share[n - a]))
        for n in range(a, b)
    ]
    heaviest = tuple(sorted(said, key=lambda v: -v.weight))
    return Explanation(task, float(result.numbers.mean[code]), None, None, 0.0, heaviest, "share of the mean")
