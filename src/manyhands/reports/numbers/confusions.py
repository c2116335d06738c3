"""What is said of each truth: by all together, and by each annotator, small enough for a page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...results import Result
from .words import CANNOT_SAY, name_of

__all__ = ["OTHERS", "Confusions", "confusions"]

SHOWN = 16  # classes; of more, those that are confused most
OTHERS = "(all others)"
BUDGET = 1_500_000  # characters for the matrices of annotators, the busiest first


@dataclass(frozen=True)
class Confusions:
    """Expected counts: how often each label was given to what is believed to be each truth.

    truths, labels: names of the rows and columns; classes that hardly matter are put together.
    crowd: the sum over all annotators, [truths, labels].
    matrices: by place of the annotator, the counts row by row, to a tenth, as text: tenths
        between commas, nothing for nought. left_out: annotators for whose matrix there was no room.
    """

    truths: tuple[str, ...]
    labels: tuple[str, ...]
    crowd: tuple[tuple[float, ...], ...]
    matrices: dict[int, str]
    left_out: int


def confusions(result: Result, budget: int = BUDGET) -> Confusions | None:
    """The crowd's matrix, and those of the busiest annotators as far as the budget goes.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 1]])
    >>> found = confusions(MajorityVote(voting="hard").fit(labels).result_)
    >>> found.crowd, found.matrices[2]
    (((2.0, 1.0), (0.0, 3.0)), ',10,,10')
    """
    if result.labels.kind == "number" or not len(result.classes):
        return None
    counts = result.counts
    total = counts.sum(axis=0)
    shown = _shown(total)
    truths = [name_of(result.classes[int(k)]) for k in shown]
    labels = list(truths)
    rest = total.shape[0] > len(shown)
    if rest:
        truths, labels = [*truths, OTHERS], [*labels, OTHERS]
    silent = total.shape[1] > total.shape[0]
    small = _gathered(counts, shown, rest, silent)
    matrices, left = _written(small, budget)
    crowd = tuple(tuple(row) for row in small.sum(axis=0).round(1).tolist())
    return Confusions(
        tuple(truths), tuple([*labels, CANNOT_SAY] if silent else labels), crowd, matrices, left
    )


def _shown(total: np.ndarray) -> np.ndarray:
    """The classes with the most confusion, in the order of the classes."""
    k = total.shape[0]
    if k <= SHOWN:
        return np.arange(k)
    wrong = total[:, :k] * (1 - np.eye(k))
    return np.sort(np.argsort(-(wrong.sum(axis=0) + wrong.sum(axis=1)), kind="stable")[:SHOWN])


def _gathered(counts: np.ndarray, shown: np.ndarray, rest: bool, silent: bool) -> np.ndarray:
    """[annotators, truths, labels] of what is shown; the others added up in a last row and column."""
    k = counts.shape[1]
    if not rest:
        return counts
    place = np.full(k, len(shown))
    place[shown] = np.arange(len(shown))
    onto = np.append(place, len(shown) + 1) if silent else place
    return _onto(_onto(counts, place, axis=1), onto, axis=2)


def _onto(counts: np.ndarray, place: np.ndarray, axis: int) -> np.ndarray:
    """Sums of what goes to the same place, along one axis."""
    return np.stack(
        [counts.compress(place == p, axis=axis).sum(axis=axis) for p in range(place.max() + 1)], axis=axis
    )


def _written(counts: np.ndarray, budget: int) -> tuple[dict[int, str], int]:
    tenths = np.rint(counts * 10).astype(np.int64).reshape(len(counts), -1)
    said = counts.sum(axis=(1, 2))
    found: dict[int, str] = {}
    for j in np.argsort(-said, kind="stable").tolist():
        if said[j] <= 0:
            break
        text = ",".join([str(v) if v else "" for v in tenths[j].tolist()])
        budget -= len(text) + 8
        if budget < 0:
            break
        found[j] = text
    return found, int((said > 0).sum()) - len(found)
