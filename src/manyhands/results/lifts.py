"""How much likelier two equal labels are as a copy than by what each annotator knows of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..annotations import group
from ..channels.votes import Votes
from ..metrics.shared import Shared, meeting_annotators, shared_rows
from .counts import expected_counts
from .evidence import TableEvidence

if TYPE_CHECKING:
    from .result import Result

__all__ = ["RARE", "Agreement", "agreement_of", "meetings_of"]

MEETINGS = 12_000_000  # pairs of votes looked at; beyond it annotators are drawn
BORROWED = 10.0  # votes that a row borrows from all annotators, where the method has no rows of its own
STEPS = 10
RARE = 0.01  # the least chance of a word in common: a model that is too sure must not decide by one vote


class Agreement(NamedTuple):
    """pair, lift: [equal meetings] whose, and how much likelier as a copy. Of each pair: units shared, said the same.

    expected, variance: of the times that they would say the same; tells: how much copying would show.
    """

    pair: np.ndarray
    lift: np.ndarray
    shared: np.ndarray
    same: np.ndarray
    expected: np.ndarray
    variance: np.ndarray
    tells: np.ndarray

    def gain(self, share: np.ndarray) -> np.ndarray:
        """[pairs] log-likelihood of such a share of copies, over that of none: an unequal meeting is no copy."""
        equal = np.bincount(self.pair, np.log1p(share[self.pair] * (self.lift - 1)), len(share))
        return equal + (self.shared - self.same) * np.log1p(-share)

    def slope(self, share: np.ndarray) -> np.ndarray:
        """[pairs] its derivative."""
        more = self.lift - 1
        equal = np.bincount(self.pair, more / (1 + share[self.pair] * more), len(share))
        return equal - (self.shared - self.same) / (1 - share)


def meetings_of(votes: Votes, min_shared: int, seed: int) -> Shared:
    """The rows of the votes in which pairs meet who share so many units."""
    able = np.bincount(votes.annotator, minlength=votes.n_annotators) >= min_shared
    size = np.bincount(votes.unit, able[votes.annotator], votes.n_units)
    rows = np.flatnonzero(meeting_annotators(size, able, MEETINGS, seed)[votes.annotator])
    met = shared_rows(votes.unit[rows], votes.annotator[rows], min_shared)
    return met._replace(first=rows[met.first], second=rows[met.second])


def agreement_of(result: Result, votes: Votes, met: Shared) -> Agreement:
    """p(both say l) over p(one says l), given all other votes on the unit, whoever of the two copies.

    With a share c of copies, a meeting has 1 - c + c lift times the chance that it has with none.
    """
    log_rows, chances = _seen(result)
    n = len(met.pair)
    expected, lift = np.empty(n), np.empty(n)
    step = max((1 << 20) // max(chances.shape[1], 1), 1)
    for part in (slice(start, start + step) for start in range(0, n, step)):
        alike = _chances_alike(votes, met.first[part], met.second[part], log_rows, chances)
        expected[part] = alike.mean(axis=0)
        lift[part] = (1 / np.maximum(alike, RARE)).mean(axis=0)
    same = votes.label[met.first] == votes.label[met.second]

    def sums(values: np.ndarray | None) -> np.ndarray:
        return np.bincount(met.pair, values, len(met.one))

    tells = sums(1 / np.maximum(expected, RARE) - 1)
    alike_rows = np.flatnonzero(same)
    alike_rows = alike_rows[
        group(met.pair[alike_rows], len(met.one))[0]
    ]  # pair by pair, so that memory is read in order
    return Agreement(
        met.pair[alike_rows], lift[alike_rows], sums(None), sums(same).astype(np.int64), sums(expected),
        sums(expected * (1 - expected)), tells,
    )  # fmt: skip


def _chances_alike(
    votes: Votes, first: np.ndarray, second: np.ndarray, log_rows: np.ndarray, chances: np.ndarray
) -> np.ndarray:
    """[2, meetings] that either says what the other said, given all votes on the unit but their own."""

    def row(of: np.ndarray, says: np.ndarray) -> np.ndarray:
        return np.exp(log_rows[votes.annotator[of], votes.label[says]])

    one, two = row(first, first), row(second, second)
    others = chances[votes.unit[first]] / np.maximum(one * two, 1e-12)
    pairs = ((others * one, row(second, first)), (others * two, row(first, second)))
    sums = [(heard * said).sum(axis=1) / np.maximum(heard.sum(axis=1), 1e-300) for heard, said in pairs]
    return np.clip(np.array(sums), 0.0, 1.0)


def _seen(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Log p(label | truth) of everybody, and the posterior that follows from it.

    Of methods that have no such table: what Dawid-Skene makes of their consensus in a few steps.
    """
    if isinstance(result.evidence, TableEvidence):
        return result.evidence.log_rows, result.chances
    chances = result.chances
    for _ in range(STEPS):
        evidence = _table(expected_counts(result.votes, chances).transpose(0, 2, 1), chances)
        posterior = evidence.infer(result.votes)
        if result.labels.truth is not None and result.uses_truth:
            posterior = posterior.given(result.labels.truth)
        chances = posterior.chances
    return evidence.log_rows, chances


def _table(counts: np.ndarray, chances: np.ndarray) -> TableEvidence:
    """From [annotators, labels, truths], each row with some votes as all give them."""
    usual = counts.sum(axis=0) + 0.5
    usual /= usual.sum(axis=0)
    rows = (counts + BORROWED * usual) / (counts.sum(axis=1, keepdims=True) + BORROWED)
    return TableEvidence(np.log(rows), np.log(np.maximum(chances.mean(axis=0, dtype=np.float64), 1e-9)))
