"""Which annotators met on which units, without a matrix of annotators."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..annotations import starts_of

__all__ = ["Shared", "meeting_annotators", "shared_rows"]

BUCKETS = 4_194_301  # a prime


class Shared(NamedTuple):
    """Pairs of annotators with the rows in which they meet.

    one, two: [pairs] the smaller and the greater annotator code.
    pair, first, second: [meetings] which pair, and the rows of its one and of its two.
    """

    one: np.ndarray
    two: np.ndarray
    pair: np.ndarray
    first: np.ndarray
    second: np.ndarray


def shared_rows(unit: np.ndarray, annotator: np.ndarray, least: int) -> Shared:
    """The rows in which each two annotators met who met so often; rows come in order of unit.

    >>> shared_rows(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), 2).second.tolist()
    [1, 2]
    """
    first, second = _each_two(unit)
    one, two = annotator[first].astype(np.int64), annotator[second].astype(np.int64)
    width = int(annotator.max(initial=0)) + 1
    key = np.minimum(one, two) * width + np.maximum(one, two)
    key[one == two] = -1  # a repeated answer is no second opinion
    keep = _maybe_frequent(key, least)
    known, place, often = np.unique(key[keep], return_inverse=True, return_counts=True)
    enough = often >= least
    chosen = enough[place]
    keep, place, known = keep[chosen], (np.cumsum(enough) - 1)[place[chosen]], known[enough]
    swapped, first, second = (one > two)[keep], first[keep], second[keep]
    return Shared(
        known // width, known % width, place,
        np.where(swapped, second, first), np.where(swapped, first, second),
    )  # fmt: skip


def meeting_annotators(size: np.ndarray, able: np.ndarray, most: int, seed: int) -> np.ndarray:
    """The annotators (a mask) whose meetings are looked at: all who are able, or as many as meet so often.

    Those are drawn at random. All pairs among them keep all that they share, so each pair's figure is exact.
    """
    total = float((size * (size - 1.0)).sum() / 2)
    if total <= most:
        return able
    luck = np.random.default_rng(seed).random(len(able))
    return np.asarray(able & (luck < (most / total) ** 0.5))


def _each_two(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each two rows of one unit, the earlier first."""
    size = np.bincount(unit)
    later = np.cumsum(size)[unit] - np.arange(len(unit)) - 1
    first = np.repeat(np.arange(len(unit), dtype=np.int32), later)
    shift = np.arange(1, len(first) + 1) - np.repeat(starts_of(later)[:-1], later)
    return first, first + shift


def _maybe_frequent(key: np.ndarray, least: int) -> np.ndarray:
    """Places of the keys from 0 on that may occur so often: of most pairs of a large crowd a bucket tells that they do not."""
    bucket = key % BUCKETS
    return np.flatnonzero((np.bincount(bucket)[bucket] >= least) & (key >= 0))
