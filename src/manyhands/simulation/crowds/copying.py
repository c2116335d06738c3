"""Annotators who copy another one: their agreement says less than it seems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...annotations import Names
from ..bounds import chance, interval
from ..categorical import RowDraws, class_tasks
from ..matrices import even_errors
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    copiers: float = 0.3,
    copy: float = 0.8,
    accuracy: tuple[float, float] = (0.5, 0.95),
) -> Copying:
    """One-coin annotators; some have a source whom they copy with a chance.

    A copier sees what the source answers, or would answer, about the task. So copying shows where
    both answer a task; raise the redundancy to see more of it.

    Options:
        copiers: the share of annotators who copy (at most half: each has a source of their own).
        copy: the chance that an answer is copied.
        accuracy: the (low, high) chance of being right of an own answer.
    """
    chance("copy", copy)
    ability = rng.uniform(*interval("accuracy", accuracy), size.n_annotators)
    pairs = min(round(chance("copiers", copiers) * size.n_annotators), size.n_annotators // 2)
    people = rng.permutation(size.n_annotators)
    source = np.full(size.n_annotators, -1)
    source[people[:pairs]] = people[pairs : 2 * pairs]
    own = even_errors(ability, size.n_classes)
    weight = np.where(source >= 0, copy, 0.0)[:, None, None]
    confusions = (1 - weight) * own + weight * own[source]
    return Copying(
        classes=Names.range(size.n_classes),
        confusions=confusions,
        accuracy=np.einsum("jkk,k->j", confusions, size.prior),
        parameters={"ability": ability, "copies": source},
        about=size,
        own=own,
        copy=float(copy),
    )


@dataclass(frozen=True, kw_only=True)
class Copying(People):
    """`own` is what each would say alone; `confusions` what they say, copies included."""

    own: np.ndarray
    copy: float

    @cached_property
    def _draws(self) -> RowDraws:
        return RowDraws.of(self.own)

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Class truths by the prior."""
        return class_tasks(size, self.about, rng, given)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """Own answers first; then some of them replaced by the source's."""
        truth = tasks.truth[task].astype(np.int64)
        source = self.parameters["copies"][annotator]
        copied = (rng.random(len(task)) < self.copy) & (source >= 0)
        # A copied answer is drawn as the source would draw it, then overwritten where the source
        # answered the same task.
        speaker = np.where(copied, source, annotator)
        label = self._draws(speaker * self.about.n_classes + truth, rng.random(len(task)))
        seen = _places(task, annotator, task, source, self.n_annotators)
        follows = copied & (seen >= 0)
        label[follows] = label[seen[follows]]
        return Said(label, {"copied": copied})


def _places(
    task: np.ndarray, annotator: np.ndarray, of_task: np.ndarray, of: np.ndarray, n_annotators: int
) -> np.ndarray:
    """Where each asked (task, annotator) pair answers; -1 where nowhere."""
    if not len(task):
        return np.empty(0, dtype=np.int64)
    keys = task * np.int64(n_annotators) + annotator
    wanted = of_task * np.int64(n_annotators) + of
    order = np.argsort(keys)
    found = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    return np.where((keys[found] == wanted) & (of >= 0), found, -1)


RECIPE = Recipe("copying", "class", "pairs of whom one copies the other with a chance", build)
