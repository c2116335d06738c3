"""Expected counts: how often each annotator gave each label to units of each truth."""

from __future__ import annotations

import numpy as np

from ..channels.votes import Votes

__all__ = ["expected_counts", "hits"]


def expected_counts(votes: Votes, chances: np.ndarray) -> np.ndarray:
    """[annotators, truth, label], by one weighted count a class."""
    cells = votes.annotator * np.int64(votes.n_labels) + votes.label
    size = votes.n_annotators * votes.n_labels
    counts = np.empty((votes.n_annotators, votes.n_classes, votes.n_labels))
    for k in range(votes.n_classes):
        mass = chances[votes.unit, k] if votes.weight is None else chances[votes.unit, k] * votes.weight
        counts[:, k] = np.bincount(cells, mass, size).reshape(votes.n_annotators, votes.n_labels)
    return counts


def hits(votes: Votes, chances: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each annotator: votes, expected right ones, and the variance of that from doubtful truths."""
    weight = np.ones(len(votes.unit)) if votes.weight is None else votes.weight
    spoken = votes.label < votes.n_classes
    right = np.zeros(len(votes.unit))
    right[spoken] = chances[votes.unit[spoken], votes.label[spoken]]
    total = np.bincount(votes.annotator, weight * spoken, votes.n_annotators)
    hit = np.bincount(votes.annotator, weight * right, votes.n_annotators)
    doubt = np.bincount(votes.annotator, weight * right * (1 - right), votes.n_annotators)
    return total, hit, doubt
