"""Votes simply counted: shares of classes, means and medians. No channel, no parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from .votes import NumberVotes, Votes

__all__ = ["Scatter", "means", "medians", "scatter", "shares", "signed_shares", "winners"]


def shares(votes: Votes, weights: np.ndarray | None = None) -> np.ndarray:
    """Each unit's share of votes for each class, [units, classes]; even where nobody voted.

    weights: what each annotator's votes count, [annotators].
    """
    weight = None if weights is None else weights[votes.annotator]
    if votes.weight is not None:
        weight = votes.weight if weight is None else weight * votes.weight
    cells = votes.unit * np.int64(votes.n_classes) + votes.label
    counts = np.bincount(cells, weight, votes.n_units * votes.n_classes)
    counts = counts.reshape(votes.n_units, votes.n_classes)
    total = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1 / max(votes.n_classes, 1), dtype=np.float32)
    return np.divide(counts, total, out=even, where=total > 0, casting="same_kind")


def signed_shares(votes: Votes, weights: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Shares of votes that may count against what they say, [units, classes].

    weights: of every vote; one below nought goes, turned round, to each other class of those `given`
    (a mask). Where all weights of a unit are nought its votes are counted plainly.

    >>> votes = Votes(np.array([0, 0]), np.array([0, 1]), np.array([0, 1]), None, 1, 2, 3, 3)
    >>> signed_shares(votes, np.array([1.0, -1.0]), np.array([True, True, False])).tolist()
    [[1.0, 0.0, 0.0]]
    """
    weights = weights if votes.weight is None else weights * votes.weight
    size = np.bincount(votes.unit, np.abs(weights), votes.n_units)
    plain = np.ones(len(weights)) if votes.weight is None else votes.weight
    weights = np.where(size[votes.unit] > 0, weights, plain)
    against = np.bincount(votes.unit, np.maximum(-weights, 0), votes.n_units)
    cells = votes.unit * np.int64(votes.n_classes) + votes.label
    counts = np.bincount(cells, weights, votes.n_units * votes.n_classes)
    counts = counts.reshape(votes.n_units, votes.n_classes) + against[:, None] * given
    total = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1 / max(votes.n_classes, 1), dtype=np.float64)
    return np.divide(np.maximum(counts, 0), total, out=even, where=total > 0).astype(np.float32)


def winners(chances: np.ndarray) -> np.ndarray:
    """All of a unit's mass on its likeliest class; classes that tie share it.

    >>> winners(np.array([[.2, .8], [.5, .5]])).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """
    best = chances >= chances.max(axis=1, keepdims=True, initial=0) * (1 - 1e-6)
    return (best / best.sum(axis=1, keepdims=True)).astype(np.float32)


def means(votes: NumberVotes, about: Scatter | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Each unit's mean and its standard error; NaN where it cannot be said.

    about: the scatter of all votes, where there are more than these.
    """
    count, mean, deviation = _moments(votes, about)
    return mean, deviation / np.sqrt(np.maximum(count, 1))


def medians(votes: NumberVotes, about: Scatter | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Each unit's median and its standard error for bell-shaped errors (1.2533 that of the mean).

    >>> votes = NumberVotes(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([1., 9., 2.]), 1, 3)
    >>> medians(votes)[0].tolist()
    [2.0]
    """
    order = np.lexsort((votes.value, votes.unit))
    ascending = np.append(votes.value[order], np.nan)
    count, _, deviation = _moments(votes, about)
    start = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.int64)
    low = np.where(count > 0, start + (count - 1) // 2, len(votes.value)).astype(np.int64)
    high = np.where(count > 0, start + count // 2, len(votes.value)).astype(np.int64)
    middle = (ascending[low] + ascending[high]) / 2
    return middle, 1.2533 * deviation / np.sqrt(np.maximum(count, 1))


class Scatter(NamedTuple):
    """Of numbers about the mean of their unit: the sum of squares, and how many of them are free."""

    squares: Tensor
    free: Tensor


def scatter(votes: NumberVotes) -> Scatter:
    """What the pooled deviation is made of; sums, so those of blocks and processes add up."""
    count, mean = _means(votes)
    squares = float(((votes.value - mean[votes.unit]) ** 2).sum())
    free = float(count.sum() - (count > 0).sum())
    return Scatter(*torch.tensor([squares, free], dtype=torch.float64))


def _moments(votes: NumberVotes, about: Scatter | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, mean, and deviation pooled over units: single units have too few answers for theirs."""
    count, mean = _means(votes)
    squares, free = map(float, scatter(votes) if about is None else about)
    pooled = np.sqrt(squares / free) if free > 0 else np.nan
    return count, mean, np.where(count > 0, pooled, np.nan)


def _means(votes: NumberVotes) -> tuple[np.ndarray, np.ndarray]:
    count = np.bincount(votes.unit, minlength=votes.n_units)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(votes.unit, votes.value, votes.n_units) / np.where(count > 0, count, np.nan)
    return count, mean
