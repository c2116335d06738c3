"""Pairs of annotators who answered the same units, without a matrix of annotators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..errors import ParameterError
from .bootstrap import NO_PAIR, Resampling, estimate
from .figures import Figure
from .shared import meeting_annotators, shared_rows
from .votes import Votes

__all__ = [
    "MAX_MEETINGS",
    "Meetings",
    "checked_share",
    "mean_over_pairs",
    "meetings",
]

MAX_MEETINGS = 4_000_000  # pairs of labels of one unit that are held at once


class Meetings(NamedTuple):
    """Two annotators on one unit, one entry each time; a is the smaller annotator code.

    pair: [meetings] which of the pairs, 0 to n_pairs - 1.
    """

    pair: np.ndarray
    a: np.ndarray  # their labels
    b: np.ndarray
    block: np.ndarray
    n_pairs: int


def checked_share(min_shared: int) -> int:
    """The fewest units that a pair must share, checked."""
    if min_shared < 1 or min_shared != int(min_shared):
        raise ParameterError(f"min_shared={min_shared!r} must be a number of units, 1 or more")
    return int(min_shared)


def meetings(votes: Votes, min_shared: int) -> Meetings:
    """All meetings of the pairs that share enough units; repeated answers meet each time."""
    met = shared_rows(votes.unit, votes.annotator, min_shared)
    return Meetings(
        met.pair, votes.label[met.first], votes.label[met.second], votes.block[votes.unit[met.first]],
        len(met.one),
    )  # fmt: skip


def busy(votes: Votes, min_shared: int) -> tuple[Votes, str]:
    """The votes of annotators who can share enough units, and what to say if they were drawn."""
    able = np.bincount(votes.annotator, minlength=1) >= min_shared
    votes = votes.by(able)
    drawn = meeting_annotators(votes.size, able, MAX_MEETINGS, votes.seed)
    if drawn is able:
        return votes, ""
    return votes.by(drawn), f"pairs among {drawn.sum()} of {able.sum()} annotators, drawn at random"


def mean_over_pairs(
    name: str,
    votes: Votes,
    min_shared: int,
    each: Callable[[Meetings], tuple[np.ndarray, np.ndarray]],
    how: Resampling,
) -> Figure:
    """The mean of a figure over pairs of annotators, weighted by the units that they share.

    each: from meetings to the figure of each pair (nan: undefined) and, for each meeting, its share
        in the sum over pairs of shared units times figure, to first order. The interval is the
        bootstrap over tasks of this linear form: no figure of a pair is computed twice.
    """
    votes, note = busy(votes, min_shared)
    met = meetings(votes, min_shared)
    figures, shares = each(met)
    shared = np.bincount(met.pair, minlength=met.n_pairs)
    known = ~np.isnan(figures)
    n = int(known.sum())
    if not n:
        none = f"no two annotators share {min_shared} units with labels that vary (min_shared={min_shared})"
        return Figure(name, np.nan, np.nan, np.nan, 0, none if len(votes.size) else NO_PAIR)
    mean = float((figures[known] * shared[known]).sum() / shared[known].sum())
    keep = known[met.pair]
    block = met.block[keep]
    sums = np.column_stack(
        [np.bincount(block, shares[keep], votes.n_blocks), np.bincount(block, minlength=votes.n_blocks)]
    )
    linear = estimate(name, sums[sums[:, 1] > 0], _ratio, n, how)
    low, high = np.clip([linear.low, linear.high], -1.0, 1.0).tolist()  # a linear form knows no bounds
    return replace(
        linear, value=mean, low=low, high=high, note="; ".join(part for part in (note, linear.note) if part)
    )


def _ratio(total: np.ndarray) -> np.ndarray:
    return np.asarray(total[..., 0] / total[..., 1])
