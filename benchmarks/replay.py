"""A crowd played again: labels are hidden, and revealed when they are asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from manyhands import DawidSkene, Result
from manyhands.assignment.greedy import fill
from manyhands.assignment.limits import Limits
from manyhands.assignment.opening import open_up
from manyhands.errors import ConvergenceWarning

from .real_crowds import Crowd
from .scores import score

__all__ = ["POLICIES", "Curve", "Replay", "curve", "labels_needed"]

Policy = Callable[["Replay", int], np.ndarray]


class Replay:
    """The answers of a crowd, of which each task has one to begin with, drawn by the seed.

    An annotator can only be asked what that annotator answered. `seen` marks the answers that were
    revealed; `result` is the default method's, of what was seen, begun where the last one ended.
    """

    def __init__(self, crowd: Crowd, seed: int, model: Any = None):
        self.crowd, self.rng = crowd, np.random.default_rng(seed)
        self.labels = crowd.labels
        self.model = DawidSkene(shared=10, warm_start=True) if model is None else model
        self.seen = np.zeros(self.labels.n_answers, dtype=bool)
        self.seen[self._one_a_task()] = True
        self.refit()

    def refit(self) -> None:
        """Learn from what was seen."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.result: Result = self.model.fit(self.labels.where(self.seen)).result_

    def reveal(self, answers: np.ndarray) -> None:
        """Ask for these."""
        self.seen[answers] = True
        self.refit()

    @property
    def accuracy(self) -> float:
        """Of the consensus, ties shared."""
        return score(self.result.chances, self.crowd.truth)["accuracy"]

    def _one_a_task(self) -> np.ndarray:
        order = self.rng.permutation(self.labels.n_answers)
        return order[np.unique(self.labels.task[order], return_index=True)[1]]


def round_robin(replay: Replay, n: int) -> np.ndarray:
    """The tasks with the fewest labels, whoever comes."""
    had = np.bincount(replay.labels.task[replay.seen], minlength=replay.labels.n_tasks)
    hidden = replay.rng.permutation(np.flatnonzero(~replay.seen))
    turn = had[replay.labels.task[hidden]] + _nth(replay.labels.task[hidden])
    return hidden[np.argsort(turn, kind="stable")[:n]]


def uncertainty(replay: Replay, n: int) -> np.ndarray:
    """The tasks in most doubt (one question each), whoever comes."""
    doubt = replay.result.posterior.entropy()  # type: ignore[union-attr]
    hidden = replay.rng.permutation(np.flatnonzero(~replay.seen))
    task = replay.labels.task[hidden]
    return hidden[np.lexsort((-doubt[task], _nth(task)))[:n]]


def information(replay: Replay, n: int) -> np.ndarray:
    """Ours: task and annotator by expected information."""
    labels, hidden = replay.labels, np.flatnonzero(~replay.seen)
    pairs = labels.task.astype(np.int64) * labels.n_annotators + labels.annotator
    everybody = np.ones(labels.n_annotators)
    limits = Limits(
        everybody, everybody * np.inf, np.sort(pairs[replay.seen]), np.sort(pairs[hidden]), everybody > 0
    )
    beliefs = open_up(replay.result).beliefs
    batch = fill(beliefs, limits, np.arange(labels.n_tasks), n, 1)
    chosen = np.array(batch.task, dtype=np.int64) * labels.n_annotators + np.array(
        batch.annotator, dtype=np.int64
    )
    order = np.argsort(pairs[hidden])
    found = hidden[order[np.searchsorted(pairs[hidden][order], chosen)]]
    if len(found) < n:  # nothing is expected of the rest: they are asked in turn
        rest = np.setdiff1d(round_robin(replay, 10**9), found, assume_unique=True)
        found = np.concatenate([found, replay.rng.permutation(rest)[: n - len(found)]])
    return found


POLICIES: dict[str, Policy] = {
    "round-robin": round_robin,
    "uncertainty": uncertainty,
    "information": information,
}


class Curve(NamedTuple):
    """Accuracy at each number of labels."""

    labels: np.ndarray
    accuracy: np.ndarray


def curve(crowd: Crowd, policy: Policy, seed: int, share: float = 0.1, model: Any = None) -> Curve:
    """From one label a task to all, in batches of a share of the tasks."""
    replay = Replay(crowd, seed, model)
    step = max(1, round(share * crowd.labels.n_tasks))
    labels, accuracy = [int(replay.seen.sum())], [replay.accuracy]
    while not replay.seen.all():
        replay.reveal(policy(replay, min(step, int((~replay.seen).sum()))))
        labels.append(int(replay.seen.sum()))
        accuracy.append(replay.accuracy)
    return Curve(np.array(labels), np.array(accuracy))


def labels_needed(curve: Curve, goal: float) -> float:
    """The fewest labels with which the curve is at the goal, between two batches by a straight line."""
    reached = np.flatnonzero(curve.accuracy >= goal)
    if not len(reached):
        return float("nan")
    at = int(reached[0])
    if at == 0:
        return float(curve.labels[0])
    (x0, x1), (y0, y1) = curve.labels[at - 1 : at + 1], curve.accuracy[at - 1 : at + 1]
    return float(x0 + (goal - y0) / (y1 - y0) * (x1 - x0))


def _nth(task: np.ndarray) -> np.ndarray:
    """Which one of its task's each is, in this order."""
    order = np.argsort(task, kind="stable")
    sizes = np.bincount(task)
    nth = np.empty(len(task), dtype=np.int64)
    nth[order] = np.arange(len(task)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return nth
