"""The tasks that deserve a second look: where the method is least sure, and where people are most divided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...channels.votes import number_votes
from ...results import Result
from ...results.explanation import Explanation, Vote, explain_at
from .material import Material
from .words import CANNOT_SAY, answer, name_of

__all__ = ["Said", "Task", "task_list"]

MOST = 24  # of each of the two orders
NAMED = 8  # annotators a label


@dataclass(frozen=True)
class Said:
    """Those who said the same of a task. weight: what they add for the consensus against its rival, together."""

    label: str
    annotators: tuple[str, ...]
    more: int
    weight: float | None
    value: float | None = None


@dataclass(frozen=True)
class Task:
    """One task (of sets: the label of it in most doubt, `part`).

    doubt, dispute: its place in the two orders, from 0; None where it is not among the first.
    against: the share of the votes (there are `votes`) that did not go to the consensus; sd, spread: of numbers.
    """

    name: str
    part: str | None
    label: str
    confidence: float | None
    rival: str | None
    votes: int
    against: float | None
    sd: float | None
    spread: float | None
    said: tuple[Said, ...]
    unit_of_weight: str
    doubt: int | None
    dispute: int | None
    text: str | None
    picture: str | None


def task_list(result: Result, material: Material, most: int = MOST) -> tuple[Task, ...]:
    """The first of both orders, each task once; of sequences none: they have their spans.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_dict({"t1": {"a": "x", "b": "x"}, "t2": {"a": "x", "b": "y"}})
    >>> [task.name for task in task_list(MajorityVote().fit(labels).result_, Material())]
    ['t2']
    """
    if result.labels.kind == "tags" or not result.labels.n_units:
        return ()
    doubt, dispute, against = _scores(result)
    orders = [_first(scores, most) for scores in (doubt, dispute)]
    places = [{int(unit): rank for rank, unit in enumerate(order)} for order in orders]
    units = list(dict.fromkeys(unit for order in orders for unit in order.tolist()))
    width = max(result.labels.n_units // max(result.labels.n_tasks, 1), 1)
    return tuple(
        _task(
            result, material, divmod(unit, width), (places[0].get(unit), places[1].get(unit)), against[unit]
        )
        for unit in units
    )


def _scores(result: Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much doubt, and how much dispute, in each unit; and the share of votes against (numbers: spread)."""
    if result.labels.kind == "number":
        spread = _spread(result)
        sd = np.nan_to_num(result.numbers.sd)
        answered = np.bincount(number_votes(result.labels).unit, minlength=len(sd)) > 0
        return np.where(answered, sd, 0.0), np.nan_to_num(spread), spread
    votes, best = result.votes, result.best
    weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
    total = np.bincount(votes.unit, weight, votes.n_units)
    other = np.bincount(votes.unit, weight * (votes.label != best[votes.unit]), votes.n_units)
    entropy = np.where(total > 0, result.posterior.entropy(), 0.0)  # type: ignore[union-attr]
    # Five of ten say more than one of two: two votes for the consensus are added before sharing out.
    return entropy, other / (total + 2), np.divide(other, total, out=np.zeros(len(total)), where=total > 0)


def _spread(result: Result) -> np.ndarray:
    return result.tasks()["spread"].fill_null(float("nan")).to_numpy().copy()


def _first(scores: np.ndarray, most: int) -> np.ndarray:
    """The units with the highest scores above nought; ties in the order of the table."""
    some = np.flatnonzero(scores > 1e-9)
    if len(some) > most:
        least = np.partition(scores[some], len(some) - most)[len(some) - most]
        some = some[scores[some] >= least]
    return some[np.argsort(-scores[some], kind="stable")][:most]


def _task(
    result: Result,
    material: Material,
    place: tuple[int, int],
    ranks: tuple[int | None, int | None],
    against: float,
) -> Task:
    code, position = place
    name, kind = result.labels.tasks[code], result.labels.kind
    why = explain_at(result, code, position if kind == "set" else None)
    numeric, classes = kind == "number", result.labels.classes
    part = name_of(classes[position]) if kind == "set" and classes is not None else None
    sd = float(result.numbers.sd[code]) if numeric else None
    return Task(
        name_of(name), part, _label(why.label, kind), why.confidence, None if numeric else _label(why.rival, kind),
        len(why.votes), None if numeric else float(against), sd, float(against) if numeric else None,
        _numbers_said(why) if numeric else _said(why, kind), why.unit_of_weight, *ranks,
        material.text(name), material.picture(name),
    )  # fmt: skip


def _label(value: object, kind: str) -> str:
    if kind == "set" and isinstance(value, bool):
        return "yes" if value else "no"
    return answer(value) if isinstance(value, float) and kind == "number" else name_of(value)


def _said(why: Explanation, kind: str) -> tuple[Said, ...]:
    by_label: dict[str, list[Vote]] = {}
    for vote in why.votes:
        by_label.setdefault(CANNOT_SAY if vote.label is None else _label(vote.label, kind), []).append(vote)
    groups = sorted(by_label.items(), key=lambda pair: -len(pair[1]))
    return tuple(
        Said(label, _names(votes), max(len(votes) - NAMED, 0), sum(v.weight for v in votes))
        for label, votes in groups
    )


def _numbers_said(why: Explanation) -> tuple[Said, ...]:
    votes = sorted(why.votes, key=lambda vote: vote.label)
    return tuple(Said(answer(v.label), (name_of(v.annotator),), 0, v.weight, v.label) for v in votes)


def _names(votes: list[Vote]) -> tuple[str, ...]:
    return tuple(name_of(vote.annotator) for vote in votes[:NAMED])
