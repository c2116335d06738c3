"""How right a prediction of classes is: accuracy, distance, log loss, Brier score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParameterError
from .codes import known_codes, known_probabilities

__all__ = ["accuracy", "brier_score", "distance", "log_loss"]


def accuracy(predicted: Any, truth: Any) -> float:
    """The share of units predicted right, among those whose truth is known.

    A unit with no prediction (-1) counts as wrong; with no known truth at all, the result is nan.

    >>> accuracy([0, 1, 1, -1], [0, 1, 0, -1])
    0.6666666666666666
    """
    guess, true = known_codes(predicted, truth)
    return float(np.mean(guess == true)) if len(true) else np.nan


def distance(predicted: Any, truth: Any) -> float:
    """The mean number of classes between prediction and truth, where the classes have an order.

    Units without a known truth, or without a prediction (-1), are left out.

    >>> distance([0, 3, -1, 1], [2, 3, 0, -1])
    1.0
    """
    guess, true = known_codes(predicted, truth)
    said = guess >= 0
    return float(np.abs(guess[said] - true[said]).mean()) if said.any() else np.nan


def log_loss(proba: Any, truth: Any, *, clip: float = 1e-15) -> float:
    """The mean of -ln p(truth), in nats; probabilities below `clip` count as `clip`.

    >>> round(log_loss([[0.5, 0.5], [0.25, 0.75]], [0, 1]), 6)
    0.490415
    """
    if not 0 < clip < 1:
        raise ParameterError(f"clip={clip!r} must lie between 0 and 1, such as 1e-15")
    rows, true = known_probabilities(proba, truth)
    said = np.clip(rows[np.arange(len(true)), true], clip, 1.0)
    return float(-np.log(said).mean()) if len(true) else np.nan


def brier_score(proba: Any, truth: Any) -> float:
    """The mean over units of sum_k (p_k - [k = truth])^2: 0 perfect, 2 sure and wrong.

    For two classes this is twice the score that looks at the second class only.

    >>> brier_score([[0.5, 0.5], [0.0, 1.0]], [0, 1])
    0.25
    """
    rows, true = known_probabilities(proba, truth)
    if not len(true):
        return np.nan
    own = rows[np.arange(len(true)), true]
    return float(((rows**2).sum(axis=1) - 2 * own + 1).mean())
