"""Annotators who give one answer whatever the task, or agree with the rest no more than by chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .oddity import SHOWN, Oddity, odd
from .rest import Votes, class_votes

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["odd_habits"]

LEAST = 5  # answers, below which one answer throughout may be luck
ENOUGH = 10  # answers, below which agreement may be luck
SURE = 1e-3  # how unlikely one answer throughout must be of an annotator like the rest
AGAINST = -2.5  # deviations below what chance gives
TELLING = 4.0  # deviations above chance at which an ordinary annotator with as many answers would stand


def odd_habits(labels: Annotations) -> list[Oddity]:
    """Each annotator against the other votes on the same tasks."""
    votes = class_votes(labels)
    if votes is None or not len(votes.unit):
        return []
    constant = _one_answer(votes, labels.n_annotators)
    agreed, chance, deviation = _agreement(votes, labels.n_annotators)
    n = np.bincount(votes.annotator, minlength=labels.n_annotators)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (agreed - chance) / deviation
        usual = (np.nanmedian(agreed - chance)) / deviation
    against = (n >= ENOUGH) & ~constant & (z < AGAINST)
    idle = (n >= ENOUGH) & ~against & ~constant & (z < 1) & (usual > TELLING)

    def shown(mask: np.ndarray) -> Iterator[str]:
        for j in np.flatnonzero(mask)[:SHOWN]:
            yield (
                f"{labels.annotators[int(j)]!r} ({agreed[j]:.0%} as the rest, {chance[j]:.0%} by chance, "
                f"of {n[j]} answers)"
            )

    return [
        *odd("one-answer-annotators", "annotators who always give one answer", constant.sum(),
             _favourites(votes, labels, constant),
             "methods with a confusion matrix (dawid-skene, mace) see through them; majority does not"),
        *odd("against-the-rest", "annotators who agree with the rest less than chance would", against.sum(),
             shown(against),
             "they may have the classes the wrong way round: ask them; dawid-skene turns their answers round"),
        *odd("chance-annotators", "annotators who agree with the rest no more than by chance", idle.sum(),
             shown(idle),
             "they may answer at random: methods that weigh annotators will ignore them; do not pay majority for it"),
    ]  # fmt: skip


def _one_answer(votes: Votes, n_annotators: int) -> np.ndarray:
    """Who gives one answer where an annotator like the rest would hardly do so."""
    n = np.bincount(votes.annotator, minlength=n_annotators)
    low, high = np.full(n_annotators, votes.n_classes), np.full(n_annotators, -1)
    np.minimum.at(low, votes.annotator, votes.label)
    np.maximum.at(high, votes.annotator, votes.label)
    # The chance that the rest would say the same, never quite 0 or 1.
    like_rest = np.log((votes.agreed * 4 + 0.5) / 5)
    luck = np.bincount(votes.annotator, like_rest, n_annotators)
    return (n >= LEAST) & (low == high) & (luck < np.log(SURE))


def _agreement(votes: Votes, n_annotators: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[annotators] mean agreement with the rest, what chance gives, and its standard deviation."""
    n = np.maximum(np.bincount(votes.annotator, minlength=n_annotators), 1)
    agreed = np.bincount(votes.annotator, votes.agreed, n_annotators) / n
    common = np.bincount(votes.label, minlength=votes.n_classes) / len(votes.label)
    chance = np.bincount(votes.annotator, common[votes.label], n_annotators) / n
    squares = np.bincount(votes.annotator, (votes.agreed - common[votes.label]) ** 2, n_annotators) / n
    deviation = np.sqrt(np.maximum(squares - (agreed - chance) ** 2, 1e-4) / n)
    return agreed, chance, deviation


def _favourites(votes: Votes, labels: Annotations, constant: np.ndarray) -> Iterator[str]:
    for j in np.flatnonzero(constant)[:SHOWN]:
        said = votes.label[votes.annotator == j]
        yield f"{labels.annotators[int(j)]!r} ({labels.unit_classes[int(said[0])]!r}, {len(said)} times)"
