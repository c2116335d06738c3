"""Where groups begin: clusters, of (task, label) pairs or of annotators."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .votes import Votes

__all__ = ["annotator_clusters", "count_clusters", "pair_clusters"]

MOST = 20_000  # k-means looks at no more rows; the others go to the nearest centre
ROUNDS = 20  # of Lloyd's, where nothing is drawn
BORROWED = 5.0  # votes that each annotator's rows borrow from the crowd before they are compared


def pair_clusters(votes: Votes, shares: np.ndarray, n_groups: int) -> np.ndarray:
    """The cluster of every vote, by its task's votes and its own label.

    As in CMM's code: the pair (i, l) is the row -softMV_i * log onehot_l, that is, what the
    task's other labels got; standardised, then reduced to three principal components.
    """
    pair, first, inverse = np.unique(
        votes.unit.astype(np.int64) * votes.n_labels + votes.label, return_index=True, return_inverse=True
    )
    rows = shares[votes.unit[first]].astype(np.float64)
    own = votes.label[first]
    spoken = np.flatnonzero(own < rows.shape[1])  # "cannot say" is the label of no class
    rows[spoken, own[spoken]] = 0
    weight = np.bincount(inverse, votes.weight, len(pair))
    return _k_means(_reduced(rows), weight, n_groups)[inverse]


def annotator_clusters(votes: Votes, shares: np.ndarray, n_groups: int) -> np.ndarray:
    """The cluster of every annotator, by the matrix that the soft majority gives them."""
    k, labels = shares.shape[1], votes.n_labels
    cells = votes.annotator.astype(np.int64) * labels + votes.label
    weight = np.ones(len(cells)) if votes.weight is None else votes.weight
    size = votes.n_annotators * labels
    counts = np.stack([np.bincount(cells, weight * shares[votes.unit, c], size) for c in range(k)], axis=1)
    counts = counts.reshape(votes.n_annotators, labels, k)
    told = np.bincount(votes.annotator, weight, votes.n_annotators)
    return _k_means(_matrices(counts), np.maximum(told, 1e-9), n_groups)


def count_clusters(counts: np.ndarray, n_groups: int) -> np.ndarray:
    """The cluster of every annotator, by expected counts [annotators, labels, classes].

    Nothing is drawn: each centre is where the votes are worst served by those before it, so the
    order of the annotators does not matter.

    >>> good, bad = [[9, 1], [1, 9]], [[5, 5], [5, 5]]
    >>> count_clusters(np.array([good, bad, good], dtype=float), 2).tolist()
    [1, 0, 1]
    """
    if not counts.any():
        return np.zeros(len(counts), dtype=np.int64)
    rows, weight = _matrices(counts), counts.sum(axis=(1, 2))
    centres = _means(rows, weight, np.zeros(len(rows), dtype=np.int64), np.zeros((1, rows.shape[1])))
    for _ in range(n_groups):
        miss = weight * _distances(rows, centres).min(axis=1)
        centres = np.concatenate([centres, rows[[int(miss.round(12).argmax())]]])
    centres = centres[1:]  # the first was the crowd's mean, which is nobody's
    for _ in range(ROUNDS):
        centres = _means(rows, weight, _distances(rows, centres).argmin(axis=1), centres)
    return _distances(rows, centres).argmin(axis=1)


def _matrices(counts: np.ndarray) -> np.ndarray:
    """Each annotator's rows, with some of the crowd's in them, as one line, [annotators, labels * classes]."""
    pooled = counts.sum(axis=0) + 1e-9
    counts = counts + BORROWED * pooled / pooled.sum(axis=0)
    rows: np.ndarray = counts / counts.sum(axis=1, keepdims=True)
    return rows.reshape(len(rows), -1)


def _distances(rows: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared, [rows, centres]."""
    return np.stack([((rows - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def _means(rows: np.ndarray, weight: np.ndarray, cluster: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The clusters' weighted means; a cluster without anybody stays where it is."""
    mine = weight * (cluster == np.arange(len(centres))[:, None])
    total = mine.sum(axis=1, keepdims=True)
    return np.where(total > 0, mine @ rows / np.maximum(total, 1e-300), centres)


def _reduced(rows: np.ndarray, parts: int = 3) -> np.ndarray:
    deviation = rows.std(axis=0)
    rows = (rows - rows.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    if rows.shape[1] <= parts:
        return rows
    _, axes = np.linalg.eigh(rows.T @ rows)
    reduced: np.ndarray = rows @ axes[:, -parts:]
    return reduced


def _k_means(rows: np.ndarray, weight: np.ndarray, n_groups: int) -> np.ndarray:
    """Clusters, from a seed that torch's generator gives: fits are repeatable, restarts differ."""
    from sklearn.cluster import KMeans

    seed = int(torch.randint(2**31 - 1, ()))
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    step = max(1, len(rows) // MOST)
    looked = rows[::step]
    n_groups = min(n_groups, len(np.unique(looked.round(9), axis=0)))
    model: Any = KMeans(n_groups, n_init=4, random_state=seed).fit(looked, sample_weight=weight[::step])
    return np.asarray(model.predict(rows), dtype=np.int64)
