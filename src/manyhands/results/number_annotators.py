"""Annotators who gave numbers: bias, scale and precision, each with its interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..channels.votes import number_votes

if TYPE_CHECKING:
    from .result import Result

__all__ = ["number_columns"]

FEWEST = 3  # answers, for a line to have a residual


def number_columns(result: Result, level: float) -> dict[str, np.ndarray]:
    """Of each annotator, from expected squares: what is believed of a truth has a variance too.

    bias, low, high: the mean of answer - truth. sd: the deviation about the bias. scale: the slope of
    answers over truths. precision: 1 / sd^2. Where the method has an sd of its own, sd and precision
    are those.
    """
    from scipy.stats import chi2, t

    votes, believed = number_votes(result.labels), result.numbers

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(votes.annotator, values, votes.n_annotators)

    n = np.bincount(votes.annotator, minlength=votes.n_annotators)
    spoken, doubt = np.maximum(n, 1), believed.sd[votes.unit] ** 2
    error = votes.value - believed.mean[votes.unit]
    bias = total(error) / spoken
    about = total((error - bias[votes.annotator]) ** 2 + np.nan_to_num(doubt))
    variance = np.divide(about, n - 1, out=np.full(len(n), np.nan), where=n > 1)
    sd = np.sqrt(variance)
    wide = t.ppf((1 + level) / 2, np.maximum(n - 1, 1)) * sd / np.sqrt(spoken)
    bias = np.where(n > 0, bias, np.nan)
    freedom = np.maximum(_freedom(doubt / np.maximum(variance, 1e-300)[votes.annotator], total), 1e-3)
    precise = chi2.ppf([[(1 - level) / 2], [(1 + level) / 2]], freedom) / freedom
    scale, unsure = _slope(result, level)
    own = result.evidence.columns()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        precision = own.get("sd", sd) ** -2.0
        ends = precise / variance
    return {
        "n": n, "bias": bias, "low": bias - wide, "high": bias + wide, "sd": sd,
        "scale": scale, "scale_low": scale - unsure, "scale_high": scale + unsure,
        "precision": precision, "precision_low": ends[0], "precision_high": ends[1],
    } | own  # fmt: skip


def _freedom(doubt: np.ndarray, total: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """How many squares about known truths say as much of a variance as these about doubtful ones.

    doubt: each truth's variance over the answer's. Of the information that a square gives,
    2 doubt - doubt^2 is missing (Louis, 1982). One goes for the bias.
    """
    told = (1 - np.clip(np.nan_to_num(doubt, nan=1.0), 0, 1)) ** 2
    mean = total(told) / np.maximum(total(np.ones_like(told)), 1)
    return total(told) - mean


def _slope(result: Result, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Of answers over truths, and half the width of its interval; nan where truths do not vary."""
    from scipy.stats import t

    votes, believed = number_votes(result.labels), result.numbers
    truth, doubt = believed.mean[votes.unit], np.nan_to_num(believed.sd[votes.unit] ** 2)

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(votes.annotator, values, votes.n_annotators)

    n = np.bincount(votes.annotator, minlength=votes.n_annotators)
    x, y = (v - (total(v) / np.maximum(n, 1))[votes.annotator] for v in (truth, votes.value))
    squares, products, heights = total(x * x + doubt), total(x * y), total(y * y)
    varies = (n >= FEWEST) & (total(x * x) > 0)
    slope = np.divide(products, squares, out=np.full(len(n), np.nan), where=varies)
    left = np.maximum(heights - slope * products, 0) / np.maximum(n - 2, 1)
    unsure = np.sqrt(np.divide(left, squares, out=np.full(len(n), np.nan), where=varies))
    return slope, t.ppf((1 + level) / 2, np.maximum(n - 2, 1)) * unsure
