"""Where groups begin: clusters, of (task, label) pairs or of annotators."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ..shard import Shard
from .votes import Votes

__all__ = ["annotator_clusters", "count_clusters", "pair_clusters"]

MOST = 20_000  # k-means looks at no more rows; the others go to the nearest centre
FLAT = 1e-12  # a deviation below this is a constant column's
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
    pairs = None if votes.shard is None else votes.shard.some(votes.unit[first])
    return _k_means(_reduced(rows, votes), weight, n_groups, pairs)[inverse]


def annotator_clusters(votes: Votes, shares: np.ndarray, n_groups: int) -> np.ndarray:
    """The cluster of every annotator, by the matrix that the soft majority gives them."""
    k, labels = shares.shape[1], votes.n_labels
    cells = votes.annotator.astype(np.int64) * labels + votes.label
    weight = np.ones(len(cells)) if votes.weight is None else votes.weight
    size = votes.n_annotators * labels
    counts = np.stack([np.bincount(cells, weight * shares[votes.unit, c], size) for c in range(k)], axis=1)
    counts = votes.in_all(counts).reshape(votes.n_annotators, labels, k)
    told = votes.in_all(np.bincount(votes.annotator, weight, votes.n_annotators))
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


def _reduced(rows: np.ndarray, votes: Votes, parts: int = 3) -> np.ndarray:
    n = max(float(votes.in_all(np.array([len(rows)]))[0]), 1.0)
    rows = rows - votes.in_all(rows.sum(axis=0)) / n
    deviation = np.sqrt(votes.in_all((rows**2).sum(axis=0)) / n)
    rows = rows / np.where(deviation > FLAT, deviation, 1)
    if rows.shape[1] <= parts:
        return rows
    _, axes = np.linalg.eigh(votes.in_all(rows.T @ rows))
    reduced: np.ndarray = rows @ axes[:, -parts:]
    return reduced


def _k_means(rows: np.ndarray, weight: np.ndarray, n_groups: int, shard: Shard | None = None) -> np.ndarray:
    """Clusters, from a seed that torch's generator gives: fits are repeatable, restarts differ.

    shard: where these rows stand among those of all processes, which then find the same centres.
    """
    from sklearn.cluster import KMeans

    seed = int(torch.randint(2**31 - 1, ()))
    places = Shard.whole(len(rows)) if shard is None else shard
    own = places.every(max(1, places.total // MOST))
    looked, counted = rows[own], weight[own]
    if shard is not None:
        looked, counted = shard.in_order(looked, own), shard.in_order(counted, own)
    if not len(looked):
        return np.zeros(0, dtype=np.int64)
    n_groups = min(n_groups, len(np.unique(looked.round(9), axis=0)))
    model: Any = KMeans(n_groups, n_init=4, random_state=seed).fit(looked, sample_weight=counted)
    return np.asarray(model.predict(rows), dtype=np.int64) if len(rows) else np.zeros(0, dtype=np.int64)
