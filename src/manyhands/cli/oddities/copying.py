"""Pairs of annotators who say the same more often than two who do not know of each other would."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import ConvergenceWarning
from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations
    from ...results import Result

__all__ = ["copying_pairs"]

SHARED = 10  # units that a pair must share
EXCESS = 0.1  # of the shared units, beyond what is expected
MEETINGS = 2_000_000  # pairs of votes looked at; more tasks than that allows are drawn from
CLASSES = 50


class _Pairs(NamedTuple):
    """[pairs] two annotators, the units they share, those they agree on, the expectation, its deviation."""

    one: np.ndarray
    two: np.ndarray
    shared: np.ndarray
    same: np.ndarray
    expected: np.ndarray
    deviation: np.ndarray


def copying_pairs(labels: Annotations, seed: int = 0) -> list[Oddity]:
    """By Dawid-Skene: how likely each would say what the other said, knowing all other votes."""
    if labels.kind not in ("class", "ordinal", "set") or not 1 < labels.n_classes <= CLASSES:
        return []
    pairs = _pairs(_fitted(_drawn(labels, seed)))
    if not len(pairs.one):
        return []
    z = (pairs.same - pairs.expected) / np.maximum(pairs.deviation, 0.5)
    excess = (pairs.same - pairs.expected) / pairs.shared
    found = np.flatnonzero((z > _beyond(z)) & (excess > EXCESS))
    found = found[np.argsort(-z[found], kind="stable")]
    names = labels.annotators
    examples = (
        f"{names[int(pairs.one[p])]!r} and {names[int(pairs.two[p])]!r} ({int(pairs.same[p])} of "
        f"{int(pairs.shared[p])} alike, {pairs.expected[p]:.0f} expected)"
        for p in found[:SHOWN]
    )
    return odd(
        "copying", "pairs of annotators who agree suspiciously often", len(found), examples,
        "one may copy, or one person may have two accounts: their agreement counts as one voice; keep one of them",
    )  # fmt: skip


def _drawn(labels: Annotations, seed: int) -> Annotations:
    """Some of the tasks, where all would be too many meetings."""
    size = np.bincount(labels.task, minlength=labels.n_tasks).astype(np.int64)
    meetings = int((size * (size - 1) // 2).sum()) * max(labels.n_units // max(labels.n_tasks, 1), 1)
    if meetings <= MEETINGS:
        return labels
    order = np.random.default_rng(seed).permutation(labels.n_tasks)
    keep = max(int(labels.n_tasks * MEETINGS / meetings), 1)
    return labels[np.sort(order[:keep])]


def _fitted(labels: Annotations) -> Result:
    from ...models import DawidSkene

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return DawidSkene(shared=4.0, max_iter=50, tol=1e-4, use_truth=False).fit(labels).result_


def _pairs(result: Result) -> _Pairs:
    votes = result.votes
    first, second = _meetings(votes.unit)
    one, two = votes.annotator[first].astype(np.int64), votes.annotator[second].astype(np.int64)
    swap = one > two
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    key = np.minimum(one, two) * votes.n_annotators + np.maximum(one, two)
    key[one == two] = -1
    known, place, shared = np.unique(key, return_inverse=True, return_counts=True)
    often = (shared >= SHARED) & (known >= 0)
    keep = often[place]
    first, second = first[keep], second[keep]
    place = (np.cumsum(often) - 1)[place[keep]]
    n = int(often.sum())
    chance = _chance_of_same(result, first, second)
    same = votes.label[first] == votes.label[second]
    return _Pairs(
        known[often] // votes.n_annotators, known[often] % votes.n_annotators, shared[often],
        np.bincount(place, same, n), np.bincount(place, chance, n),
        np.sqrt(np.bincount(place, chance * (1 - chance), n)),
    )  # fmt: skip


def _meetings(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each two votes of one unit."""
    ends = np.searchsorted(unit, unit, side="right")
    later = ends - np.arange(len(unit)) - 1
    first = np.repeat(np.arange(len(unit)), later)
    shift = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
    return first, first + 1 + shift


def _chance_of_same(result: Result, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """That the second says what the first said, given all votes on the unit but the second's own."""
    from ...results import TableEvidence

    votes = result.votes
    assert isinstance(result.evidence, TableEvidence)
    rows = np.exp(result.evidence.log_rows.astype(np.float64))
    chance = np.empty(len(first))
    for start in range(0, len(first), 1 << 18):
        part = slice(start, start + (1 << 18))
        a, b = first[part], second[part]
        j = votes.annotator[b]
        without = result.chances[votes.unit[b]] / np.maximum(rows[j, votes.label[b]], 1e-12)
        without /= without.sum(axis=1, keepdims=True)
        chance[part] = (without * rows[j, votes.label[a]]).sum(axis=1)
    return np.clip(chance, 0.0, 1.0)


def _beyond(z: np.ndarray) -> float:
    """Where suspicion begins: tasks that are hard for all make all pairs agree more than the model says."""
    from scipy.stats import norm

    median = float(np.median(z))
    spread = float(np.median(np.abs(z - median))) * 1.4826
    return max(median, 0.0) + float(norm.isf(0.01 / len(z))) * max(spread, 1.0)
