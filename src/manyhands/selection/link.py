"""From what a method believes of a truth to what an annotator will say: one link, lent to every method.

Methods differ in what they say of annotators: some say nothing, some too much. Judged by their own
account a good consensus loses by a rash annotator model; so all are judged by what they believe of the
truth, q, and the same link is fitted for each: p(l) = sum_k q(k) T_j[k, l], T by maximum likelihood
(EM) with rows that borrow from the crowd's common one. Both sides of the fit are clean: q never saw the
vote it is paired with, and T_j comes from the votes of the other folds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..channels import Votes
from ..results.counts import expected_counts
from .hiding import HiddenVotes

__all__ = ["BORROWED", "Predicted", "confusions", "predict_votes"]

BORROWED = 10.0  # votes that a row borrows, as in dawid-skene-map; that default was found without truth
STEPS = 10
LEAST = 1e-10
AT_ONCE = 1 << 22  # numbers of T that are gathered at a time


class Predicted(NamedTuple):
    """Of every hidden vote: its log-likelihood; and the chances of all labels, [votes, labels]."""

    log_likelihood: np.ndarray
    chances: np.ndarray


def predict_votes(hidden: HiddenVotes, belief: np.ndarray) -> Predicted:
    """How likely hidden votes are; belief: q of each vote's unit, [votes, classes], without that vote."""
    chances = np.empty((len(hidden.unit), hidden.n_classes))
    for fold in np.unique(hidden.fold):
        out = hidden.fold == fold
        table = confusions(hidden.of(~out), belief[~out])
        chances[out] = _through(table, hidden.annotator[out], belief[out])
    said = chances[np.arange(len(chances)), hidden.said]
    return Predicted(np.log(np.maximum(said, LEAST)), chances)


def confusions(hidden: HiddenVotes, belief: np.ndarray, borrowed: float = BORROWED) -> np.ndarray:
    """T[j, k, l] that makes these votes likeliest given q, each row borrowing from the common one.

    >>> zero, said = np.zeros(4, dtype=int), np.array([1, 1, 1, 0])
    >>> votes = HiddenVotes(np.arange(4), zero, said, None, zero, np.arange(4), 1, 2)
    >>> confusions(votes, np.tile([0.0, 1.0], (4, 1)))[0, 1].round(2).tolist()
    [0.29, 0.71]
    """
    n_votes, k = belief.shape
    votes = Votes(
        np.arange(n_votes), hidden.annotator, hidden.said, hidden.weight, n_votes, hidden.n_annotators, k, k
    )
    share = belief.astype(np.float64)
    for _ in range(STEPS):
        table = _rows(expected_counts(votes, share), borrowed)
        share = belief * table[hidden.annotator, :, hidden.said]
        share /= np.maximum(share.sum(axis=1, keepdims=True), LEAST)
    return table


def _rows(counts: np.ndarray, borrowed: float) -> np.ndarray:
    """Rows with their common one mixed in; that one borrows a vote from chance."""
    common = counts.sum(axis=0) + 1 / counts.shape[2]
    common /= common.sum(axis=1, keepdims=True)
    rows: np.ndarray = (counts + borrowed * common) / (counts.sum(axis=2, keepdims=True) + borrowed)
    return rows


def _through(table: np.ndarray, annotator: np.ndarray, belief: np.ndarray) -> np.ndarray:
    """sum_k q(k) T_j[k, l] for every label, a block of votes at a time."""
    step = max(AT_ONCE // (table.shape[1] * table.shape[2]), 1)
    blocks = [slice(start, start + step) for start in range(0, len(annotator), step)]
    if not blocks:
        return np.empty((0, table.shape[2]))
    return np.concatenate([np.einsum("nk,nkl->nl", belief[b], table[annotator[b]]) for b in blocks])
