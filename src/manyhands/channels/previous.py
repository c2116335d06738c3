"""What an annotator said one token before: the memory of Bayesian sequence combination."""

from __future__ import annotations

import numpy as np

from .votes import Votes

__all__ = ["previous_labels", "with_memory"]


def previous_labels(votes: Votes) -> np.ndarray:
    """The same annotator's label of the token before; `n_labels` where there is none.

    >>> votes = Votes(*map(np.array, ([0, 0, 1, 2], [0, 1, 0, 0], [1, 0, 0, 1])), None, 3, 2, 2, 2, np.array([0, 2, 3]))
    >>> previous_labels(votes).tolist()
    [2, 2, 1, 2]
    """
    key = votes.annotator.astype(np.int64) * (votes.n_units + 1) + votes.unit
    order = np.argsort(key, kind="stable")
    follows = np.zeros(len(key), dtype=bool)
    follows[order[1:]] = np.diff(key[order]) == 1
    if votes.starts is not None:
        first = np.zeros(votes.n_units + 1, dtype=bool)
        first[votes.starts] = True
        follows &= ~first[votes.unit]
    before = np.empty(len(key), dtype=votes.label.dtype)
    before[order] = np.concatenate([[votes.n_labels], votes.label[order]])[: len(key)]
    return np.where(follows, before, votes.n_labels)


def with_memory(votes: Votes) -> Votes:
    """Votes of annotators in a state of mind: annotator * (n_labels + 1) + what was said before."""
    states = votes.n_labels + 1
    mind = votes.annotator.astype(np.int64) * states + previous_labels(votes)
    return votes._replace(annotator=mind.astype(np.int32), n_annotators=votes.n_annotators * states)
