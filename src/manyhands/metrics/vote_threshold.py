"""From which share of yes votes the truth is yes: chosen by votes held out, not by any truth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["VoteThreshold", "vote_threshold"]


class VoteThreshold(NamedTuple):
    """threshold: the share of yes above which the truth is yes.

    tried, loss: the thresholds compared, and the held-out votes' mean -ln p, in nats.
    """

    threshold: float
    tried: np.ndarray
    loss: np.ndarray


def vote_threshold(unit: np.ndarray, yes: np.ndarray, n_units: int) -> VoteThreshold:
    """The threshold whose sides say most of a vote that is held out.

    Each vote is held out in turn, and another like those of its case (the votes held out of units with as many
    others, and as many yeses among them) takes its place: so a rule such as three of five is judged as that
    rule, though four votes are seen. The vote held out is then predicted by the rate of yes among all votes
    held out on its side. Thresholds stand half-way between shares that occur; if a half is as good
    as the best, it is taken. Units with one vote tell nothing; where all do, the threshold is a half.

    >>> units, yes = np.repeat(np.arange(4), 5), np.array([1, 1, 0, 0, 0] * 2 + [0] * 10)
    >>> vote_threshold(units, yes, 4).threshold
    0.2
    """
    n, said_yes = np.bincount(unit, minlength=n_units), np.bincount(unit, yes, n_units).astype(np.int64)
    cases, place = np.unique(np.column_stack([n, said_yes])[n > 1], axis=0, return_inverse=True)
    if not len(cases):
        return VoteThreshold(0.5, np.array([0.5]), np.array([np.nan]))
    size, others, ups, total = _held_out(cases, np.bincount(place.ravel()))
    shares = np.unique(np.round(cases[:, 1] / cases[:, 0], 9))
    tried = np.unique(np.append((shares[1:] + shares[:-1]) / 2, 0.5))
    loss = np.array([_loss(t, size, others, ups, total) for t in tried]) / total.sum()
    best = tried[loss <= loss.min() + 1e-12]
    return VoteThreshold(float(np.clip(0.5, best.min(), best.max())), tried, loss)


def _held_out(cases: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, ...]:
    """By votes of the unit and yeses among the others: the yeses held out, and all votes held out."""
    n, y = cases.T
    seen = np.concatenate([np.column_stack([n, y - 1]), np.column_stack([n, y])])
    yes = np.repeat([1, 0], len(n))
    weight = np.concatenate([y * units, (n - y) * units])
    kinds, place = np.unique(seen[weight > 0], axis=0, return_inverse=True)
    weight, yes, place = weight[weight > 0], yes[weight > 0], place.ravel()
    return kinds[:, 0], kinds[:, 1], np.bincount(place, weight * yes), np.bincount(place, weight)


def _loss(t: float, size: np.ndarray, others: np.ndarray, ups: np.ndarray, total: np.ndarray) -> float:
    """-ln p of all votes, by the rates of the two sides."""
    needed = np.floor(t * size + 1e-9) + 1
    above = np.where(others == needed - 1, ups / total, others >= needed)
    yes, votes = (np.array([part @ above, part @ (1 - above)]) for part in (ups, total))
    return float(_nats(yes, votes).sum())


def _nats(yes: np.ndarray, total: np.ndarray) -> np.ndarray:
    """-ln p of votes at their own rate."""
    cost = np.zeros(len(total))
    for count in (yes, total - yes):
        some = count > 0
        cost[some] -= count[some] * np.log(count[some] / total[some])
    return cost
