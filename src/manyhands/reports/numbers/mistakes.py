"""Who confuses what with what: the commonest mistakes of the crowd, and who makes most of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...results import Result
from .words import name_of

__all__ = ["Mistake", "mistakes"]

MOST = 12
NAMED = 3
LEAST = 0.5  # expected times; below that nobody can be said to have done it


@dataclass(frozen=True)
class Mistake:
    """A truth taken for another. times: expected; share: of the labels that this truth got.

    annotators: how many did it at least once (as far as one can say); who: those who did most, with how often.
    """

    truth: str
    said: str
    times: float
    share: float
    annotators: int
    who: tuple[tuple[str, float], ...]


def mistakes(result: Result) -> tuple[Mistake, ...]:
    """The commonest first.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 1], [0, 0, 1]])
    >>> found = mistakes(MajorityVote(voting="hard").fit(labels).result_)[0]
    >>> found.truth, found.said, found.times, found.who
    ('0', '1', 2.0, (('2', 2.0),))
    """
    if result.labels.kind == "number" or not len(result.classes):
        return ()
    counts = result.counts
    k = counts.shape[1]
    total = counts.sum(axis=0)
    wrong = total[:, :k] * (1 - np.eye(k))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST]
    pairs = [divmod(int(place), k) for place in order if wrong.flat[place] >= LEAST]
    return tuple(
        _mistake(result, counts[:, truth, said], total[truth].sum(), truth, said) for truth, said in pairs
    )


def _mistake(result: Result, each: np.ndarray, heard: float, truth: int, said: int) -> Mistake:
    most = np.argsort(-each, kind="stable")[:NAMED]
    who = tuple((name_of(result.labels.annotators[int(j)]), float(each[j])) for j in most if each[j] >= LEAST)
    return Mistake(
        name_of(result.classes[truth]), name_of(result.classes[said]), float(each.sum()),
        float(each.sum() / max(heard, 1e-300)), int((each >= LEAST).sum()), who,
    )  # fmt: skip
