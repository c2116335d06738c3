"""A batch, greedily: the best pair for its cost, then the best given that, until the budget is spent."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from .beliefs import Beliefs, Outlook
from .limits import Limits

__all__ = ["Batch", "fill"]

SLAB = 2**18  # pairs sorted at a time
CHUNK = 4096  # pairs looked at before those that have become impossible are sieved out
LEAST = 1e-12  # a gain below this is rounding


@dataclass
class Batch:
    """What was chosen, in order; exact: no future was left out of a sum."""

    task: list[int] = field(default_factory=list)
    annotator: list[int] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    worth: float = np.inf  # of the last: gain for its cost
    exact: bool = True


def fill(beliefs: Beliefs, limits: Limits, tasks: np.ndarray, budget: float, per_task: int) -> Batch:
    """Choose among these tasks, at most `per_task` answers each.

    Answers are independent given the truth, so what a question adds can only fall by questions
    before it (submodularity): the pairs need not be judged anew but for tasks that were chosen.
    """
    return _Filling(beliefs, limits, tasks, budget, per_task).run()


class _Filling:
    """The pairs of first questions in falling order, merged with a heap of further ones."""

    def __init__(self, beliefs: Beliefs, limits: Limits, tasks: np.ndarray, budget: float, per_task: int):
        self.beliefs, self.limits, self.tasks, self.per_task = beliefs, limits, tasks, per_task
        self.left, self.budget = limits.capacity.copy(), budget
        self.able = limits.may(tasks)
        self.cost = limits.cost.tolist()
        self.taken = np.zeros(len(tasks), dtype=np.int64)
        self.outlooks: dict[int, tuple[Outlook, np.ndarray]] = {}
        self.again: list[tuple[float, int, int]] = []
        self.batch = Batch()

    def run(self) -> Batch:
        """Until the budget is spent, or nothing is left that adds anything."""
        cheapest = min(self.cost, default=np.inf)
        for worth, row, annotator in self._first():
            self._further(worth)
            if self.budget < cheapest:
                return self.batch
            if not self.taken[row] and self._affords(annotator):
                self._take(row, annotator, worth)
        self._further(-np.inf)
        return self.batch

    # --- first questions ---------------------------------------------------------------------------

    def _first(self) -> Iterator[tuple[float, int, int]]:
        """Pairs by falling worth; of equals the earlier task, then the earlier annotator."""
        worth = self.beliefs.gains(self.tasks) / self.limits.cost
        worth[~self.able] = -np.inf
        if not worth.size:
            return
        if (self.left >= self.budget / self.limits.cost).all():  # nobody can fill up: the best is enough
            best = worth.argmax(axis=1)
            rows = np.arange(len(worth))
            yield from self._sieved(worth[rows, best], rows, best)
            return
        for places in _slabs(worth.reshape(-1)):
            rows, who = np.divmod(places, worth.shape[1])
            open_ = (self.taken[rows] == 0) & (self.left[who] > 0)
            yield from self._sieved(worth.reshape(-1)[places[open_]], rows[open_], who[open_])

    def _sieved(
        self, worth: np.ndarray, rows: np.ndarray, who: np.ndarray
    ) -> Iterator[tuple[float, int, int]]:
        order = np.argsort(-worth, kind="stable")
        order = order[worth[order] > LEAST]
        for start in range(0, len(order), CHUNK):
            some = order[start : start + CHUNK]
            some = some[(self.taken[rows[some]] == 0) & (self.left[who[some]] > 0)]
            yield from zip(worth[some].tolist(), rows[some].tolist(), who[some].tolist(), strict=True)

    # --- further questions on tasks of the batch ------------------------------------------------------

    def _further(self, worth: float) -> None:
        """Take those that are worth more than the next first question."""
        while self.again and -self.again[0][0] > max(worth, LEAST):
            lost, row, annotator = heapq.heappop(self.again)
            if self._affords(annotator):
                self._take(row, annotator, -lost)
            else:
                self._offer(row)

    def _offer(self, row: int) -> None:
        """The best further question on a task, if there is one."""
        worth = self.outlooks[row][1]
        possible = self.able[row] & (self.left > 0) & (self.limits.cost <= self.budget)
        if possible.any():
            best = int(np.where(possible, worth, -np.inf).argmax())
            heapq.heappush(self.again, (-float(worth[best]), row, best))

    # --- taking one ----------------------------------------------------------------------------------

    def _affords(self, annotator: int) -> bool:
        return bool(self.left[annotator] > 0) and self.cost[annotator] <= self.budget + 1e-9

    def _take(self, row: int, annotator: int, worth: float) -> None:
        batch, cost = self.batch, self.cost[annotator]
        batch.task.append(int(self.tasks[row]))
        batch.annotator.append(annotator)
        batch.gain.append(worth * cost)
        batch.worth = worth
        self.taken[row] += 1
        self.left[annotator] -= 1
        self.budget -= cost
        if self.taken[row] < self.per_task:
            self._look_ahead(row, annotator)

    def _look_ahead(self, row: int, annotator: int) -> None:
        before = self.outlooks[row][0] if row in self.outlooks else self.beliefs.outlook(int(self.tasks[row]))
        after = before.after(annotator)
        self.able[row, annotator] = False
        self.outlooks[row] = after, after.gains() / self.limits.cost
        self.batch.exact &= after.exact
        self._offer(row)


def _slabs(worth: np.ndarray) -> Iterator[np.ndarray]:
    """Places in slabs of falling worth: a sort of all pairs is seldom needed whole."""
    sample = np.sort(worth[:: max(1, len(worth) // 2**16)])[::-1]
    step = max(1, len(sample) * SLAB // max(len(worth), 1))
    edges = [np.inf, *np.unique(sample[step::step])[::-1], -np.inf]
    for high, low in pairwise(edges):
        yield np.flatnonzero((worth < high) & (worth >= low) & (worth > LEAST))
