"""Segments of unequal length in one flat array: segment i is flat[starts[i]:starts[i + 1]]."""

from __future__ import annotations

import numpy as np

__all__ = ["group", "segment_index", "starts_of"]


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
    lengths = np.diff(starts)[chosen]
    new = starts_of(lengths)
    shift = np.repeat(starts[:-1][chosen] - new[:-1], lengths)
    return np.arange(new[-1]) + shift, new


def group(keys: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """A stable order by key, and where each key starts in it.

    scipy's coordinate-to-row conversion is a counting sort: 5 M keys in .06 s, where numpy's
    stable argsort takes .44 s.

    >>> order, starts = group(np.array([1, 0, 1]), 2)
    >>> order.tolist(), starts.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    from scipy.sparse import csr_array

    places = np.arange(len(keys), dtype=np.int32 if len(keys) < 2**31 else np.int64)
    marks = np.empty(len(keys), dtype=np.int8)
    grouped = csr_array((marks, (keys, places)), shape=(size, max(len(keys), 1)))
    return grouped.indices, grouped.indptr.astype(np.int64)
