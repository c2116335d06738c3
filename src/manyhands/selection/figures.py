"""From what methods said of hidden votes to figures: likelihoods, errors, calibration, distances."""

from __future__ import annotations

import numpy as np

from ..metrics import expected_calibration_error
from ..results.posterior import ClassPosterior, NumberPosterior, Posterior
from .hiding import HiddenVotes
from .link import predict_votes
from .number_link import predict_numbers

__all__ = ["differences", "doubt", "mean_and_error", "vote_figures"]

LEVELS = np.arange(0.1, 1.0, 0.1)


def vote_figures(hidden: HiddenVotes, belief: np.ndarray) -> tuple[np.ndarray, float]:
    """The log-likelihood of every hidden vote through the link, and how well calibrated it is."""
    if not hidden.n_classes:
        normal = predict_numbers(hidden, belief)
        below = (normal.place[:, None] <= LEVELS).mean(axis=0)
        return normal.log_likelihood, float(np.abs(below - LEVELS).mean())
    predicted = predict_votes(hidden, belief)
    if hidden.weight is not None:  # parts of a soft label are no draws
        return predicted.log_likelihood, float("nan")
    return predicted.log_likelihood, expected_calibration_error(predicted.chances, hidden.said)


def mean_and_error(values: np.ndarray, hidden: HiddenVotes) -> tuple[float, float]:
    """The mean over votes, and its standard error where the votes of one task go together.

    >>> one = np.arange(4)
    >>> votes = HiddenVotes(one, one, one, None, one, np.array([0, 0, 1, 1]), 4, 2)
    >>> mean_and_error(np.array([1.0, 1.0, 3.0, 3.0]), votes)
    (2.0, 1.0)
    """
    weight = np.ones(len(values)) if hidden.weight is None else hidden.weight.astype(np.float64)
    total = weight.sum()
    mean = float((weight * values).sum() / total)
    gap = np.bincount(hidden.task, weight * (values - mean))
    n = len(np.unique(hidden.task))
    return mean, float(np.sqrt((gap**2).sum() * n / max(n - 1, 1)) / total)


def differences(one: Posterior, other: Posterior, answered: np.ndarray) -> float:
    """The share of answered units decided otherwise; of numbers, in deviations of the second."""
    if isinstance(one, NumberPosterior) and isinstance(other, NumberPosterior):
        spread = float(np.nanstd(other.mean[answered])) or 1.0
        return float(np.sqrt(np.nanmean((one.mean - other.mean)[answered] ** 2)) / spread)
    assert isinstance(one, ClassPosterior)
    assert isinstance(other, ClassPosterior)
    return float((one.best() != other.best())[answered].mean())


def doubt(posterior: Posterior, answered: np.ndarray) -> float:
    """The share of decisions that it expects to be wrong."""
    if isinstance(posterior, NumberPosterior):
        return float("nan")
    return float(1 - posterior.confidence()[answered].mean())
