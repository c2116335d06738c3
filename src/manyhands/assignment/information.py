"""What one would-be label tells of a truth: mutual information, in nats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["blocks", "information", "learnt"]

TINY = 1e-300
AT_ONCE = 2**22  # numbers held at a time


def information(chances: np.ndarray, rows: np.ndarray) -> np.ndarray:
    r"""$I(z; l) = H(l) - \sum_k q_k H(l | z = k)$, which is $H(z) - E_l H(z | l)$; [units, annotators].

    chances: q, [units, classes]. rows: p(label | truth), [annotators, classes, labels], or
    [units, annotators, classes, labels] where it depends on the unit as well.

    >>> certain, coin = np.eye(2), np.full((2, 2), 0.5)
    >>> information(np.array([[0.5, 0.5]]), np.stack([certain, coin])).round(4).tolist()
    [[0.6931, 0.0]]
    """
    if rows.ndim == 3:
        flat = rows.transpose(1, 2, 0).reshape(rows.shape[1], -1)  # labels before annotators: long sums
        labels = (chances @ flat).reshape(len(chances), rows.shape[2], rows.shape[0])
        noise = chances @ _entropy(rows, -1).T
    else:
        labels = np.einsum("uk,ujkl->ulj", chances, rows)
        noise = np.einsum("uk,ujk->uj", chances, _entropy(rows, -1))
    return np.maximum(_entropy(labels, 1) - noise, 0.0)


def learnt(chances: np.ndarray, weight: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The posteriors after each would-be label of one annotator, and their chances.

    chances: [units, futures, classes]; weight: [units, futures]; rows: [units, classes, labels].
    There are `labels` times as many futures after it.
    """
    joint = chances[:, :, None, :] * rows.transpose(0, 2, 1)[:, None]
    mass = joint.sum(axis=3)
    after = joint / np.maximum(mass, TINY)[..., None]
    units, classes = len(chances), chances.shape[2]
    return after.reshape(units, -1, classes), (weight[:, :, None] * mass).reshape(units, -1)


def blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of n rows, of which each takes `width` numbers."""
    step = max(1, AT_ONCE // max(width, 1))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _entropy(chances: np.ndarray, axis: int) -> np.ndarray:
    logs = np.log(np.maximum(chances, TINY))
    logs *= chances
    return -logs.sum(axis=axis)
