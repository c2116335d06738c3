"""Crowds with known parameters from plain numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyhands import Annotations

__all__ = ["Made", "from_matrices", "spread_votes"]


class Made(NamedTuple):
    """The table and the truth of its tasks."""

    table: Annotations
    truth: np.ndarray


def spread_votes(
    rng: np.random.Generator, n_tasks: int, n_annotators: int, each: int
) -> tuple[np.ndarray, np.ndarray]:
    """Task and annotator of `each` votes a task, by annotators drawn without repeats."""
    annotator = np.argsort(rng.random((n_tasks, n_annotators)), axis=1)[:, :each]
    return np.repeat(np.arange(n_tasks), each), annotator.ravel()


def from_matrices(
    matrices: np.ndarray, n_tasks: int, each: int, seed: int = 0, prior: np.ndarray | None = None
) -> Made:
    """Votes of annotators with confusion matrices [annotators, truth, label]."""
    rng = np.random.default_rng(seed)
    n_annotators, k, _ = matrices.shape
    truth = rng.choice(k, n_tasks, p=prior)
    task, annotator = spread_votes(rng, n_tasks, n_annotators, each)
    steps = matrices[annotator, truth[task]].cumsum(axis=1)
    label = (rng.random(len(task))[:, None] > steps[:, :-1]).sum(axis=1)
    table = Annotations.from_arrays(
        task, annotator, label, tasks=range(n_tasks), annotators=range(n_annotators), classes=range(k)
    )
    return Made(table, truth)
