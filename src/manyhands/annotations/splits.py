"""Two tables from one: by task, by annotation, by annotator."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ParameterError
from ..shard import Shard

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["folds", "split"]

BY = ("task", "annotation", "annotator")


def split(
    labels: Annotations,
    test_size: float = 0.2,
    *,
    by: str = "annotation",
    random_state: int | np.random.Generator | None = 0,
) -> tuple[Annotations, Annotations]:
    """A training and a held-out table.

    by="task": whole tasks (each table has its own); by="annotation": single answers, tasks and
    annotators staying in both; by="annotator": all answers of some annotators.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_matrix([[0, 1, 1], [1, 1, 0]])
    >>> [part.n_answers for part in split(labels, 0.5)]
    [3, 3]
    """
    return split_of(labels, test_size, by, random_state)


def split_of(
    labels: Annotations,
    test_size: float,
    by: str,
    random_state: int | np.random.Generator | None,
    shard: Shard | None = None,
) -> tuple[Annotations, Annotations]:
    """`split`, where these are a shard of all answers (tasks, annotators), drawn alike by all who hold one."""
    if not 0 < test_size < 1:
        raise ParameterError(f"test_size={test_size!r} must lie between 0 and 1")
    return next(_parts(labels, by, random_state, [test_size], shard))


def folds(
    labels: Annotations,
    n: int = 5,
    *,
    by: str = "annotation",
    random_state: int | np.random.Generator | None = 0,
) -> Iterator[tuple[Annotations, Annotations]]:
    """N pairs of a training and a held-out table; each part is held out once.

    >>> from manyhands import Annotations
    >>> labels = Annotations.from_matrix([[0, 1, 1], [1, 1, 0]])
    >>> [held.n_answers for _, held in folds(labels, 3)]
    [2, 2, 2]
    """
    if n < 2:
        raise ParameterError(f"n={n!r} folds: at least 2 are needed to hold one out")
    return _parts(labels, by, random_state, [1 / n] * n)


def _parts(
    labels: Annotations,
    by: str,
    seed: int | np.random.Generator | None,
    shares: list[float],
    shard: Shard | None = None,
) -> Iterator[tuple[Annotations, Annotations]]:
    if by not in BY:
        raise ParameterError(f"by={by!r} must be one of {', '.join(map(repr, BY))}")
    size = {"task": labels.n_tasks, "annotation": labels.n_answers, "annotator": labels.n_annotators}[by]
    places, size = (np.arange(size), size) if shard is None else shard
    order = np.random.default_rng(seed).permutation(size)
    cuts = np.round(np.cumsum([0.0, *shares]) * size).astype(int)
    if (np.diff(cuts) == 0).any() or cuts[1] == size:
        raise ParameterError(
            f"{size} {by}s are too few to hold out {shares[0]:.3g} of them and keep some: ask for other "
            f"shares, or split by={BY[1]!r}"
        )
    for start, end in pairwise(cuts):
        held = np.zeros(size, dtype=bool)
        held[order[start:end]] = True
        yield _divide(labels, by, held[places])


def _divide(labels: Annotations, by: str, held: np.ndarray) -> tuple[Annotations, Annotations]:
    if by == "task":
        return labels[~held], labels[held]
    mask = held if by == "annotation" else held[labels.annotator]
    return labels.where(~mask), labels.where(mask)
