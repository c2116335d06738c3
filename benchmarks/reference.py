"""Dawid-Skene written out slowly in float64 numpy: a judge between us and the peer."""

from __future__ import annotations

import numpy as np

from manyhands import Annotations

__all__ = ["FLOOR", "dawid_skene"]

FLOOR = 1e-10


def dawid_skene(labels: Annotations, iterations: int, *, like_peer: bool = False) -> np.ndarray:
    """The posterior [tasks, classes] after so many E-steps from shares of votes.

    The likelihood is flat in a row of a confusion matrix that no vote informs, so a floor decides
    on it. Ours adds FLOOR to the counts of all labels: a Dirichlet prior. like_peer: crowd-kit
    clips at FLOOR the counts of those labels only that the annotator has used; the cells of the
    others are missing from its frame, which says that they are impossible.
    """
    spoken = labels.answers.values >= 0
    task, who, said = labels.task[spoken], labels.annotator[spoken], labels.answers.values[spoken]
    n_classes = labels.n_classes
    used = np.ones((labels.n_annotators, n_classes), dtype=bool)
    if like_peer:
        used[:] = False
        used[who, said] = True
    chances = np.zeros((labels.n_tasks, n_classes))
    np.add.at(chances, (task, said), 1.0)
    chances /= chances.sum(axis=1, keepdims=True)
    for _ in range(iterations):
        confusions = _confusions(chances, task, who, said, used, add=not like_peer)
        scores = np.tile(np.log(np.maximum(chances.mean(axis=0), FLOOR)), (labels.n_tasks, 1))
        np.add.at(scores, task, np.log(confusions[who, said]))
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances = scores / scores.sum(axis=1, keepdims=True)
    return chances


def _confusions(
    chances: np.ndarray, task: np.ndarray, who: np.ndarray, said: np.ndarray, used: np.ndarray, *, add: bool
) -> np.ndarray:
    """p(label | truth) of each annotator, [annotators, labels, truths]."""
    counts = np.zeros((*used.shape, chances.shape[1]))
    np.add.at(counts, (who, said), chances[task])
    floored = counts + FLOOR if add else np.maximum(counts, FLOOR)
    counts = np.where(used[:, :, None], floored, 0.0)
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.ones_like(counts), where=total > 0)
