"""Segments of unequal length in one flat array: segment i is flat[starts[i]:starts[i + 1]].

Long arrays are gone through in blocks where numpy would make a wider copy of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["ascends", "blocks", "counts", "group", "group_values", "segment_index", "starts_of"]

BLOCK = 1 << 20


def starts_of(lengths: np.ndarray) -> np.ndarray:
    """Where each segment starts, and where the last one ends.

    >>> starts_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def segment_index(starts: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where in the flat array the chosen segments lie, in their new order, and their new starts.

    >>> index, starts = segment_index(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> index.tolist(), starts.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """
    first = starts[chosen]
    lengths = starts[np.asarray(chosen) + 1] - first
    new = starts_of(lengths)
    return np.arange(new[-1]) + np.repeat(first - new[:-1], lengths), new


def group(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """A stable order by key, and where each key starts in it.

    >>> order, starts = group(np.array([1, 0, 1]), 2)
    >>> order.tolist(), starts.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    order, starts, _ = group_values(keys, size, np.empty(len(keys), dtype=np.int8))
    return order, starts


def group_values(
    keys: np.ndarray, size: int, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `group`, and the values in that order.

    scipy's coordinate-to-row conversion is a counting sort that carries the values along: 5 M keys
    in .06 s, where numpy's stable argsort takes .44 s and the values one more random walk.

    >>> group_values(np.array([1, 0, 1]), 2, np.array([5, 6, 7]))[2].tolist()
    [6, 5, 7]
    """
    from scipy.sparse import csr_array

    places = np.arange(len(keys), dtype=np.int32 if len(keys) < 2**31 else np.int64)
    grouped = csr_array((values, (keys, places)), shape=(size, max(len(keys), 1)))
    return grouped.indices, grouped.indptr.astype(np.int64), grouped.data


def counts(keys: np.ndarray, size: int) -> np.ndarray:
    """How often each key occurs.

    >>> counts(np.array([2, 0, 2], dtype=np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    total = np.zeros(size, dtype=np.int64)
    for part in blocks(len(keys), max(BLOCK, size)):
        total += np.bincount(keys[part], minlength=size)
    return total


def ascends(keys: np.ndarray) -> bool:
    """Whether no key is smaller than the one before.

    >>> ascends(np.array([0, 0, 2])), ascends(np.array([1, 0]))
    (True, False)
    """
    steps = blocks(len(keys) - 1)
    return all(bool((keys[part.start + 1 : part.stop + 1] >= keys[part]).all()) for part in steps)


def blocks(size: int, block: int = BLOCK) -> Iterator[slice]:
    """Slices that cover a long array piece by piece.

    >>> [(part.start, part.stop) for part in blocks(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    return (slice(start, min(start + block, size)) for start in range(0, size, block))
