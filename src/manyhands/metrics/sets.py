"""How right predictions of sets of labels are: label by label, and averaged over labels both ways."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError

__all__ = ["SetScores", "set_scores"]


class SetScores(NamedTuple):
    """accuracy, f1: [labels]; nan where no task's truth is known, and the F1 of a label never true nor predicted.

    macro_f1 is the mean of the labels' F1, micro_f1 that of all yeses together; exact is the share of tasks whose
    known labels are all right.
    """

    accuracy: np.ndarray
    f1: np.ndarray
    mean_accuracy: float
    macro_f1: float
    micro_f1: float
    exact: float


def set_scores(predicted: Any, truth: Any) -> SetScores:
    """Scores of yes and no, [tasks, labels]; a truth of -1 is unknown and left out.

    >>> scores = set_scores([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    >>> scores.accuracy.tolist(), round(scores.micro_f1, 3), scores.exact
    ([0.5, 1.0], 0.8, 0.5)
    """
    guess, true = np.asarray(predicted), np.asarray(truth)
    if guess.shape != true.shape or guess.ndim != 2:
        raise ParameterError(
            f"predicted has shape {guess.shape} and truth {true.shape}: give both as [tasks, labels] of 0 and 1"
        )
    known = true >= 0
    right = (guess == true) & known
    both, either = ((guess == 1) & (true == 1)).sum(axis=0), ((guess == 1) & known).sum(axis=0)
    either = either + (true == 1).sum(axis=0)
    told = known.any(axis=1)
    f1 = _share(2 * both, either)
    accuracy = _share(right.sum(axis=0), known.sum(axis=0))
    return SetScores(
        accuracy,
        f1,
        _mean(accuracy),
        _mean(f1),
        float(_share(2 * both.sum(), either.sum())),
        float(_share((right == known)[told].all(axis=1).sum(), told.sum())),
    )


def _share(part: Any, whole: Any) -> np.ndarray:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _mean(values: np.ndarray) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
