"""What is believed of the open tasks, and what one answer more would add: in general, and for classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .answers import Answers
from .information import blocks, information, learnt

__all__ = ["Beliefs", "ClassBeliefs", "Outlook"]

FUTURES = 4096  # of one unit that are told apart; beyond, the likeliest stand for all


class Outlook(Protocol):
    """One task after some questions whose answers are not known yet."""

    @property
    def exact(self) -> bool:
        """Whether no future was left out."""
        ...

    def gains(self) -> np.ndarray:
        """What each annotator would add, [annotators]."""
        ...

    def after(self, annotator: int) -> Outlook:
        """With one question more."""
        ...


class Beliefs(Protocol):
    """Of every open task."""

    @property
    def n_tasks(self) -> int:
        """How many."""
        ...

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        ...

    def gains(self, tasks: np.ndarray) -> np.ndarray:
        """What each annotator would add to each of these tasks, [tasks, annotators]."""
        ...

    def ceiling(self) -> np.ndarray:
        """What no answer can exceed, [tasks]."""
        ...

    def outlook(self, task: int) -> Outlook:
        """One task, before any question."""
        ...


@dataclass(frozen=True, eq=False)
class ClassBeliefs:
    """chances: [units, classes]. starts: [tasks + 1], the units of each task."""

    chances: np.ndarray
    starts: np.ndarray
    answers: Answers

    @property
    def n_tasks(self) -> int:
        """How many."""
        return len(self.starts) - 1

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        return self.answers.n_annotators

    def gains(self, tasks: np.ndarray) -> np.ndarray:
        """The information about all units of a task, which are told together."""
        units, sizes = self.units(tasks)
        width = self.answers.width or self.n_annotators * self.chances.shape[1]
        found = np.empty((len(units), self.n_annotators))
        for part in blocks(len(units), width):
            found[part] = information(self.chances[units[part]], self.answers.rows(units[part]))
        return found if len(units) == len(tasks) else _sums(found, sizes)

    def ceiling(self) -> np.ndarray:
        """The entropies."""
        logs = np.log(np.maximum(self.chances, 1e-300))
        return self.per_task(-(self.chances * logs).sum(axis=1))

    def per_task(self, values: np.ndarray) -> np.ndarray:
        """Sums over the units of each task."""
        return values if len(values) == self.n_tasks else _sums(values, np.diff(self.starts))

    def outlook(self, task: int) -> ClassOutlook:
        """Before any question there is one future."""
        units = np.arange(self.starts[task], self.starts[task + 1])
        return ClassOutlook(
            self.chances[units][:, None], np.ones((len(units), 1)), self.answers.rows(units), True
        )

    def units(self, tasks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The units of these tasks, and how many each has."""
        sizes = (self.starts[1:] - self.starts[:-1])[tasks]
        first = np.repeat(self.starts[:-1][tasks] - (np.cumsum(sizes) - sizes), sizes)
        return first + np.arange(sizes.sum()), sizes


@dataclass(frozen=True, eq=False)
class ClassOutlook:
    """Futures of the units of one task: chances [units, futures, classes], weight [units, futures]."""

    chances: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    exact: bool

    def gains(self) -> np.ndarray:
        """Expected over the futures."""
        _, futures, classes = self.chances.shape
        rows = self.rows if self.rows.ndim == 3 else np.repeat(self.rows, futures, axis=0)
        told = information(self.chances.reshape(-1, classes), rows)
        expected: np.ndarray = self.weight.reshape(-1) @ told
        return expected

    def after(self, annotator: int) -> ClassOutlook:
        """As many futures more as there are labels; too many are cut to the likeliest."""
        rows = self.rows[None, annotator] if self.rows.ndim == 3 else self.rows[:, annotator]
        chances, weight = learnt(
            self.chances, self.weight, np.broadcast_to(rows, (len(self.chances), *rows.shape[1:]))
        )
        if weight.shape[1] <= FUTURES:
            return ClassOutlook(chances, weight, self.rows, self.exact)
        best = np.argpartition(-weight, FUTURES, axis=1)[:, :FUTURES]
        weight = np.take_along_axis(weight, best, axis=1)
        chances = np.take_along_axis(chances, best[..., None], axis=1)
        return ClassOutlook(chances, weight / weight.sum(axis=1, keepdims=True), self.rows, False)


def _sums(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Of consecutive rows, `sizes` at a time."""
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    stops = np.cumsum(sizes)
    return total[stops] - total[stops - sizes]
