"""The same link for numbers: a bias and a deviation an annotator, about what is believed of the truth."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from .hiding import HiddenVotes
from .link import BORROWED

__all__ = ["NumberPrediction", "normals", "predict_numbers"]

PULL = 1.0  # answers without bias behind each bias
LEAST = 0.01  # of the crowd's variance: nobody is surer


class NumberPrediction:
    """Of every hidden number: its log density, and its place in the distribution that was predicted."""

    def __init__(self, said: np.ndarray, mean: np.ndarray, variance: np.ndarray):
        gap = said - mean
        self.log_likelihood = -0.5 * (gap**2 / variance + np.log(2 * np.pi * variance))
        self.place = ndtr(gap / np.sqrt(variance))


def predict_numbers(hidden: HiddenVotes, belief: np.ndarray) -> NumberPrediction:
    """p(l) = N(m + b_j, s^2 + v_j); belief: mean m and deviation s of each vote's unit, [votes, 2]."""
    mean, variance = np.empty(len(hidden.unit)), np.empty(len(hidden.unit))
    for fold in np.unique(hidden.fold):
        out = hidden.fold == fold
        seen = hidden.of(~out)
        known = _filled(belief, seen.said)
        bias, spread = normals(seen, known[~out])
        mean[out] = known[out, 0] + bias[hidden.annotator[out]]
        variance[out] = known[out, 1] ** 2 + spread[hidden.annotator[out]]
    return NumberPrediction(hidden.said, mean, variance)


def normals(hidden: HiddenVotes, belief: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bias and variance of each annotator by moments, drawn towards none and towards the crowd's."""
    size, gap = hidden.n_annotators, hidden.said - belief[:, 0]
    n = np.bincount(hidden.annotator, minlength=size)
    bias = np.bincount(hidden.annotator, gap, size) / (n + PULL)
    own = (gap - bias[hidden.annotator]) ** 2 - belief[:, 1] ** 2
    whole = max(float(np.mean(gap**2)), 1e-12)
    common = max(float(own.mean()), LEAST * whole)
    variance = (np.bincount(hidden.annotator, own, size) + BORROWED * common) / (n + BORROWED)
    return bias, np.maximum(variance, LEAST * whole)


def _filled(belief: np.ndarray, said: np.ndarray) -> np.ndarray:
    """Where a method cannot say: the mean and deviation of all answers; a deviation it lacks is 0."""
    mean, sd = belief[:, 0].copy(), np.nan_to_num(belief[:, 1])
    silent = np.isnan(mean)
    mean[silent], sd[silent] = said.mean(), said.std()
    return np.column_stack([mean, sd])
