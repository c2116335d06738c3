"""Answers as they arrive: beliefs follow in milliseconds, and whoever asks gets the best question for them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError, ParameterError, UnsupportedError
from .growing import Growing
from .information import information
from .opening import result_of
from .rows import LEAST, rows_of

if TYPE_CHECKING:
    import polars as pl

    from ..results import Result

__all__ = ["Live"]

TURNS = 3  # between what a task is and what its annotators are worth, for one answer


class Live:
    r"""A result that goes on learning, answer by answer.

    The row of an annotator for truth k is $(c\,p + n) / (c + |n|)$: n counts labels as expected, $c\,p$ stands
    for what was believed before any (c is `right + wrong + shared` of the method, at least 1). An
    answer moves the posterior of its task, and with it the counts of those who answered it: what
    one answer costs does not depend on how many there are. `settle` then does what only a look at
    all tasks can: it is one EM step over everything.

    confidence: a task this sure is asked about no more. at_once: people who may have the same
        task in hand at one time.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("confusion", n_tasks=50, n_annotators=5, redundancy=2, seed=0)
    >>> live = Live(DawidSkene(right=2, wrong=1).fit(crowd.labels))
    >>> task = live.ask("zoe")
    >>> before = live.chances(task).max()
    >>> live.add(task, "zoe", live.classes[int(live.chances(task).argmax())])
    >>> bool(live.chances(task).max() > before)
    True
    """

    def __init__(self, source: Any, confidence: float | None = None, at_once: int = 1):
        result = result_of(source)
        labels = result.labels
        if labels.kind not in ("class", "ordinal"):
            raise UnsupportedError(
                f"answers of kind {labels.kind!r} are not followed one by one: use partial_fit"
            )
        if confidence is not None and not 0 < confidence <= 1:
            raise ParameterError(f"confidence={confidence!r} must be above 0 and at most 1")
        self.confidence, self.at_once = confidence, at_once
        self.classes = labels.unit_classes.to_list()
        self.tasks = labels.tasks.to_list()
        self.annotators = labels.annotators.to_list()
        self._task = {name: code for code, name in enumerate(self.tasks)}
        self._who = {name: code for code, name in enumerate(self.annotators)}
        self._begin(result)

    def _begin(self, result: Result) -> None:
        known = rows_of(result, "following answers one by one")
        self._chances, self._borrowed = Growing(known.chances), known.borrowed
        self._counts, self._prior = Growing(known.counts(known.chances)), known.prior
        self._log_truth, votes = known.log_truth, known.votes
        self._votes: list[list[tuple[int, int]]] = [[] for _ in self.tasks]
        self._asked: list[set[int]] = [set() for _ in self.annotators]
        for unit, who, label in zip(
            votes.unit.tolist(), votes.annotator.tolist(), votes.label.tolist(), strict=True
        ):
            self._votes[unit].append((who, label))
            self._asked[who].add(unit)
        self._in_hand = np.zeros(len(self.tasks), dtype=np.int64)
        self._handed: set[tuple[int, int]] = set()

    # --- answers -------------------------------------------------------------------------------------

    def add(self, task: Hashable, annotator: Hashable, label: Hashable) -> None:
        """An answer; a task or an annotator that is new is taken in."""
        if label not in self.classes:
            raise LabelError(f"label {label!r} of {annotator!r} for {task!r} is none of {self.classes!r}")
        unit, who, said = self._task_code(task), self._who_code(annotator), self.classes.index(label)
        if any(earlier == who for earlier, _ in self._votes[unit]):
            raise LabelError(f"{annotator!r} has answered {task!r} before: an answer counts once")
        self._return(unit, who)
        self._asked[who].add(unit)
        self._votes[unit].append((who, said))
        self._follow(unit)

    def _follow(self, unit: int) -> None:
        """The task's posterior and its annotators' counts in turn; the newest vote was not counted yet."""
        who, said = (np.array(column) for column in zip(*self._votes[unit], strict=True))
        counts = self._counts.rows
        counted = np.repeat(self._chances.rows[unit][None], len(who), axis=0)
        counted[-1] = 0.0
        for _ in range(TURNS):
            rows = np.maximum(counts[who], LEAST)
            logs = np.log(rows[np.arange(len(who)), :, said] / rows.sum(axis=2))
            scores = self._log_truth + logs.sum(axis=0)
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            _add(counts, who, said, chances - counted)
            counted[:] = chances
        self._chances.rows[unit] = chances

    def settle(self, steps: int = 1) -> None:
        """EM steps over all tasks; the classes' prior stays what it was."""
        unit = np.repeat(np.arange(len(self.tasks)), [len(votes) for votes in self._votes])
        pairs = np.array([vote for votes in self._votes for vote in votes], dtype=np.int64).reshape(-1, 2)
        who, said = pairs[:, 0], pairs[:, 1]
        for _ in range(steps):
            rows = np.maximum(self._counts.rows, LEAST)
            logs = np.log(rows / rows.sum(axis=2, keepdims=True))[who, :, said]
            scores = np.repeat(self._log_truth[None], len(self.tasks), axis=0)
            for k in range(scores.shape[1]):
                scores[:, k] += np.bincount(unit, logs[:, k], len(self.tasks))
            chances = np.exp(scores - scores.max(axis=1, keepdims=True))
            self._chances.rows[:] = chances / chances.sum(axis=1, keepdims=True)
            counts = self._counts.rows
            counts[:] = self._prior
            _add(counts, who, said, self._chances.rows[unit])

    # --- questions -----------------------------------------------------------------------------------

    def ask(self, annotator: Hashable) -> Any:
        """The task about which this annotator would tell most, now in their hand; None where there is none."""
        who = self._who_code(annotator)
        rows = self._counts.rows[who]
        gain = information(self._chances.rows, (rows / rows.sum(axis=1, keepdims=True))[None])[:, 0]
        gain[self._in_hand >= self.at_once] = -np.inf
        gain[list(self._asked[who])] = -np.inf
        if self.confidence is not None:
            gain[self._chances.rows.max(axis=1) >= self.confidence] = -np.inf
        if not len(gain) or gain.max() <= 0:
            return None
        unit = int(gain.argmax())
        self._asked[who].add(unit)
        self._handed.add((unit, who))
        self._in_hand[unit] += 1
        return self.tasks[unit]

    def drop(self, task: Hashable, annotator: Hashable) -> None:
        """The annotator gives a task back without an answer; it may go to others."""
        self._return(self._task.get(task, -1), self._who.get(annotator, -1))

    def _return(self, unit: int, who: int) -> None:
        if (unit, who) in self._handed:
            self._handed.remove((unit, who))
            self._in_hand[unit] -= 1

    # --- what is believed ----------------------------------------------------------------------------

    def chances(self, task: Hashable) -> np.ndarray:
        """Of the classes, [classes]; of a task that is new, what is believed of any."""
        unit = self._task.get(task)
        return np.exp(self._log_truth) if unit is None else self._chances.rows[unit].copy()

    def consensus(self) -> pl.DataFrame:
        """Task, label, confidence, n."""
        import polars as pl

        best = self._chances.rows.argmax(axis=1)
        n = pl.Series("n", [len(votes) for votes in self._votes], dtype=pl.Int32)
        told = pl.DataFrame([
            pl.Series("task", self.tasks), pl.Series("label", [self.classes[k] for k in best]),
            pl.Series("confidence", self._chances.rows.max(axis=1, initial=0.0)), n,
        ])  # fmt: skip
        return told.with_columns(pl.when(pl.col("n") > 0).then(pl.col("label")).alias("label"))

    # --- names ---------------------------------------------------------------------------------------

    def _task_code(self, task: Hashable) -> int:
        if task not in self._task:
            self._task[task] = len(self.tasks)
            self.tasks.append(task)
            self._votes.append([])
            self._chances.append(np.exp(self._log_truth))
            self._in_hand = np.append(self._in_hand, 0)
        return self._task[task]

    def _who_code(self, annotator: Hashable) -> int:
        if annotator not in self._who:
            self._who[annotator] = len(self.annotators)
            self.annotators.append(annotator)
            self._asked.append(set())
            self._counts.append(self._average())
            self._prior = np.concatenate([self._prior, self._counts.rows[-1:]])
        return self._who[annotator]

    def _average(self) -> np.ndarray:
        """What is believed of somebody new: the mean of the others, worth what a prior is."""
        rows = self._counts.rows
        if not len(rows):
            n = len(self.classes)
            return self._borrowed * (np.eye(n) + 1 / n) / 2
        mean: np.ndarray = (rows / rows.sum(axis=2, keepdims=True)).mean(axis=0)
        return self._borrowed * mean


def _add(counts: np.ndarray, who: np.ndarray, said: np.ndarray, chances: np.ndarray) -> None:
    """Votes by their chances, [votes, classes], to [annotators, classes, labels]."""
    for k in range(counts.shape[1]):
        np.add.at(counts[:, k], (who, said), chances[:, k])
