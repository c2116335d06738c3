"""Which answers are hidden together: folds that are the same for every method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..annotations import Annotations
from ..channels import number_votes, votes_of
from ..errors import LabelError, ParameterError

__all__ = ["HiddenVotes", "folds_of", "hidden_votes"]


class HiddenVotes(NamedTuple):
    """Every vote once, in the order in which folds hide them.

    said: codes of labels, or numbers. weight: what each counts, None where each counts one. task: of the vote.
    n_classes: 0 of numbers.
    """

    unit: np.ndarray
    annotator: np.ndarray
    said: np.ndarray
    weight: np.ndarray | None
    fold: np.ndarray
    task: np.ndarray
    n_annotators: int
    n_classes: int

    def of(self, chosen: np.ndarray) -> HiddenVotes:
        """Some of them."""
        return self._replace(
            unit=self.unit[chosen], annotator=self.annotator[chosen], said=self.said[chosen],
            weight=None if self.weight is None else self.weight[chosen],
            fold=self.fold[chosen], task=self.task[chosen],
        )  # fmt: skip


def folds_of(labels: Annotations, n: int, seed: int = 0) -> np.ndarray:
    """The fold of every answer: those of one task fall into different folds, as far as they go.

    So a hidden answer is predicted from nearly all others of its task. A repeated answer of one
    annotator to one task is hidden with its twin.

    >>> folds_of(Annotations.from_matrix([[0, 1, 1], [1, 1, 0]]), 3).reshape(2, 3).sum(axis=1).tolist()
    [3, 3]
    """
    if n < 2:
        raise ParameterError(f"folds={n!r}: at least 2 are needed to hide one")
    if labels.n_answers < n:
        raise LabelError(f"{labels.n_answers} answers are too few to hide in {n} folds: give more answers")
    pairs = labels.task.astype(np.int64) * max(labels.n_annotators, 1) + labels.annotator
    pairs, twin = np.unique(pairs, return_inverse=True)
    task = pairs // max(labels.n_annotators, 1)
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(len(pairs)), task))
    first = np.searchsorted(task, task[order])
    turn = rng.integers(n, size=labels.n_tasks)
    fold = np.empty(len(pairs), dtype=np.int64)
    fold[order] = (np.arange(len(pairs)) - first + turn[task[order]]) % n
    return fold[twin.ravel()]


def hidden_votes(labels: Annotations, fold: np.ndarray) -> HiddenVotes:
    """The votes of all folds, one after another; what says nothing is left out."""
    parts = [_of_fold(labels.where(fold == f)) for f in range(int(fold.max()) + 1)]
    unit, annotator, said = (np.concatenate([part[place] for part in parts]) for place in range(3))
    weight = None if parts[0][3] is None else np.concatenate([part[3] for part in parts])  # type: ignore[misc]
    folds = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    task = np.searchsorted(labels.unit_offsets, unit, side="right") - 1
    n_classes = 0 if labels.kind == "number" else labels.n_classes
    return HiddenVotes(unit, annotator, said, weight, folds, task, labels.n_annotators, n_classes)


def _of_fold(held: Annotations) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    if held.kind == "number":
        numbers = number_votes(held)
        return numbers.unit, numbers.annotator, numbers.value, None
    votes = votes_of(held)
    return votes.unit, votes.annotator, votes.label, votes.weight
