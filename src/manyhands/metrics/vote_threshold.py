"""From which share of yes votes the truth is yes: chosen by votes held out, not by any truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["VoteThreshold", "vote_threshold"]


class VoteThreshold(NamedTuple):
    """threshold: the share of yes above which the truth is yes.

    tried, loss: the thresholds compared, and the held-out votes' mean -ln p(vote | side), in nats.
    """

    threshold: float
    tried: np.ndarray
    loss: np.ndarray


def vote_threshold(unit: np.ndarray, yes: np.ndarray, n_units: int) -> VoteThreshold:
    """The threshold whose two sides say most of a vote that is held out.

    Each vote is held out in turn. The share of yes among the others of its unit lies above a threshold or
    below, and the vote is predicted by the rate of yes among all votes held out on that side. Thresholds
    stand half-way between shares that occur; of equals the nearest to a half is taken. Units with one
    vote tell nothing; where all do, the threshold is a half.

    >>> vote_threshold(np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 0, 0, 0, 0]), 2).threshold
    0.25
    """
    n, said_yes = np.bincount(unit, minlength=n_units), np.bincount(unit, yes, n_units)
    held = n[unit] > 1
    if not held.any():
        return VoteThreshold(0.5, np.array([0.5]), np.array([np.nan]))
    unit, vote = unit[held], yes[held].astype(np.float64)
    others = (said_yes[unit] - vote) / (n[unit] - 1)
    shares, place = np.unique(np.round(others, 9), return_inverse=True)
    total, ups = np.bincount(place), np.bincount(place, vote)
    tried = (shares[1:] + shares[:-1]) / 2 if len(shares) > 1 else np.array([0.5])
    below, yes_below = np.cumsum(total)[: len(tried)], np.cumsum(ups)[: len(tried)]
    cost = _nats(yes_below, below) + _nats(ups.sum() - yes_below, total.sum() - below)
    loss = cost / total.sum()
    best = np.flatnonzero(loss <= loss.min() + 1e-12)
    return VoteThreshold(float(tried[best[np.abs(tried[best] - 0.5).argmin()]]), tried, loss)


def _nats(yes: np.ndarray, total: np.ndarray) -> np.ndarray:
    """-ln p of votes at their own rate."""
    cost = np.zeros(len(total))
    for count in (yes, total - yes):
        some = count > 0
        cost[some] -= count[some] * np.log(count[some] / total[some])
    return cost
