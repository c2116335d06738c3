"""Who should label what next, within a budget, and when to stop."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParameterError
from .answers import TableAnswers
from .beliefs import Beliefs, ClassBeliefs
from .cells import cell_ceiling
from .greedy import Batch, fill
from .limits import Limits, limits_of
from .opening import Opened, open_up
from .questions import Assignment

__all__ = ["assign"]

PAIRS = 2**21  # to begin with
MOST_PAIRS = 2 * 10**7  # after which a batch is taken as it is


def assign(
    source: Any,
    budget: float,
    *,
    X: Any = None,
    tasks: Any = None,
    annotators: Any = None,
    cost: Any = 1.0,
    capacity: Any = None,
    skills: Any = None,
    per_task: int = 1,
    most: int | None = None,
    confidence: float | None = None,
    sd: float | None = None,
    exact: bool = False,
) -> Assignment:
    r"""The questions that are expected to tell most about the truths, for what they cost.

    The gain of asking annotator j about task i is $H(z_i) - E_l H(z_i | l)$, by what is believed of
    the task and of the annotator; of numbers, by how much the variance falls.

    source: a result, or a fitted model (whose channel may know who is good at what).
    budget: what may be spent; with costs of 1, the number of questions.
    X: features of the tasks, for a model: row i is task i. Unanswered tasks then have f(x).
    tasks: those in question, also new ones. annotators: those who may be asked; a new one counts
        as an average one. By default all of the result.
    cost, capacity: of each annotator: a number, or a mapping. capacity: answers in this batch.
    skills: annotator -> tasks they can do; those left out can do all.
    per_task: answers to one task in this batch; each counts on what those before it may say.
    most: answers to one task in all. confidence: a task this sure is settled (of numbers: `sd`).
    exact: look at every pair, whatever it takes.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("confusion", n_tasks=100, n_annotators=10, redundancy=2, seed=0)
    >>> model = DawidSkene(right=2, wrong=1).fit(crowd.labels)
    >>> assign(model, budget=20, capacity=4, confidence=0.99)
    Assignment(20 questions, exact, ... tasks open, ... settled)
    """
    _check(budget, per_task, most, confidence, sd)
    opened = open_up(source, X, tasks, annotators)
    limits = limits_of(opened.tasks, opened.annotators, opened.answered, cost, capacity, skills)
    open_ = np.flatnonzero(~_settled(opened, most, confidence, sd))
    ceiling = _ceiling(opened.beliefs, limits.cost, len(open_))[open_]
    batch, left, whole = _best(opened.beliefs, limits, open_, ceiling, float(budget), per_task, exact)
    who = np.array(batch.annotator, dtype=np.int64)
    return Assignment(
        opened.tasks, opened.annotators, np.array(batch.task, dtype=np.int64), who,
        np.array(batch.gain), limits.cost[who], whole and batch.exact, left,
        len(open_), len(opened.tasks) - len(open_),
    )  # fmt: skip


def _best(
    beliefs: Beliefs,
    limits: Limits,
    tasks: np.ndarray,
    ceiling: np.ndarray,
    budget: float,
    per_task: int,
    exact: bool,
) -> tuple[Batch, float, bool]:
    """The batch, the ceiling of what was left out, and whether that could have been in it.

    The most promising tasks first; more of them, as long as one left out might have been chosen.
    """
    order = np.argsort(-ceiling, kind="stable")
    width = max(beliefs.n_annotators, 1)
    wanted = min(budget / limits.cost.min(initial=np.inf), float(len(tasks)))
    n = max(PAIRS // width, int(1.5 * wanted) + 1, 1)
    while True:
        n = len(tasks) if exact else min(n, len(tasks))
        batch = fill(beliefs, limits, tasks[np.sort(order[:n])], budget, per_task)
        left = float(ceiling[order[n]]) if n < len(tasks) else 0.0
        whole = n == len(tasks) or (batch.worth >= left and _spent(batch, limits, budget))
        if whole or 4 * n * width > MOST_PAIRS:
            return batch, left, whole
        n *= 4


def _spent(batch: Batch, limits: Limits, budget: float) -> bool:
    """Whether nothing more could be bought."""
    return budget - float(limits.cost[batch.annotator].sum()) < float(limits.cost.min(initial=np.inf))


def _ceiling(beliefs: Beliefs, cost: np.ndarray, n_open: int) -> np.ndarray:
    """What no answer to a task is worth more than."""
    most = beliefs.ceiling() / cost.min(initial=np.inf)
    if n_open * beliefs.n_annotators <= PAIRS or not isinstance(beliefs, ClassBeliefs):
        return most
    if isinstance(beliefs.answers, TableAnswers):
        cells = cell_ceiling(beliefs.chances, beliefs.answers.table, cost)
        return np.minimum(most, beliefs.per_task(cells))
    return most


def _settled(opened: Opened, most: int | None, confidence: float | None, sd: float | None) -> np.ndarray:
    numbers = not isinstance(opened.beliefs, ClassBeliefs)
    wrong, right = ("confidence", "sd") if numbers else ("sd", "confidence")
    if (confidence if numbers else sd) is not None:
        kind = "numbers" if numbers else "classes"
        raise ParameterError(f"{wrong}= settles no {kind}: say {right}=")
    settled = np.zeros(len(opened.tasks), dtype=bool)
    if most is not None:
        settled |= opened.n_answers >= most
    if confidence is not None:
        settled |= opened.confidence >= confidence
    return settled if sd is None else settled | (opened.confidence <= sd)


def _check(budget: Any, per_task: Any, most: Any, confidence: Any, sd: Any) -> None:
    if not budget >= 0 or not np.isfinite(budget):
        raise ParameterError(f"budget={budget!r} must be a number, 0 or more")
    for name, value in (("per_task", per_task), ("most", most)):
        if value is not None and (value != int(value) or value < 1):
            raise ParameterError(f"{name}={value!r} must be a whole number, 1 or more")
    if confidence is not None and not 0 < confidence <= 1:
        raise ParameterError(f"confidence={confidence!r} must be above 0 and at most 1, such as 0.95")
    if sd is not None and not sd > 0:
        raise ParameterError(f"sd={sd!r} must be above 0")
