"""Of a large table, the tasks that are judged."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations

__all__ = ["ROOM", "sampled_tasks"]

ROOM = 4_000_000  # numbers of belief a method: a chance a class of every hidden vote


def sampled_tasks(labels: Annotations, most: int, seed: int) -> np.ndarray | None:
    """Whole tasks, drawn at random until there are `most` answers; None where all fit.

    Fewer where classes are many. Annotators stay, as do their codes.

    >>> labels = Annotations.from_matrix(np.zeros((50, 4), dtype=int), classes=[0, 1])
    >>> len(sampled_tasks(labels, 100, 0))
    25
    """
    units = max(labels.n_units / max(labels.n_tasks, 1), 1)
    width = 2 if labels.kind == "number" else max(labels.n_classes, 2)
    most = min(most, int(ROOM / (width * units)))
    if labels.n_answers <= most:
        return None
    n = np.bincount(labels.task, minlength=labels.n_tasks)
    order = np.random.default_rng(seed).permutation(labels.n_tasks)
    enough = int(np.searchsorted(np.cumsum(n[order]), most)) + 1
    return np.sort(order[:enough])
