"""What may be said of an annotator, judged by the whole interval and never by the point."""

from __future__ import annotations

import numpy as np

__all__ = ["STANDINGS", "accuracy_standing", "bias_standing"]

ABOVE, ALIKE, BELOW, UNSURE, SILENT = range(5)
STANDINGS = ("above the crowd", "like the crowd", "below the crowd", "too few labels to say", "no labels")
BIASES = ("too high", "no bias to speak of", "too low", "too few labels to say", "no labels")
NARROW = 0.2  # an interval of accuracy this wide still says "like the others"
FEWEST = 10  # labels, before anything is said: of fewer, one or two truths that are believed wrongly decide


def accuracy_standing(n: np.ndarray, low: np.ndarray, high: np.ndarray, crowd: float) -> np.ndarray:
    """Place in STANDINGS of each annotator: against the accuracy of all labels together.

    >>> n, low, high = np.array([90, 90, 3, 0]), np.array([.8, .4, .3, 0]), np.array([.95, .6, .9, 1])
    >>> [STANDINGS[code] for code in accuracy_standing(n, low, high, 0.7)]
    ['above the crowd', 'below the crowd', 'too few labels to say', 'no labels']
    """
    standing = np.where(high - low <= NARROW, ALIKE, UNSURE)
    standing = np.where(low > crowd, ABOVE, np.where(high < crowd, BELOW, standing))
    return np.where(n == 0, SILENT, np.where(n < FEWEST, UNSURE, standing))


def bias_standing(n: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Place in BIASES of each annotator of numbers.

    >>> n, low, high = np.array([50, 50, 2]), np.array([.1, -.2, .1]), np.array([.3, .1, .3])
    >>> [BIASES[code] for code in bias_standing(n, low, high)]
    ['too high', 'no bias to speak of', 'too few labels to say']
    """
    standing = np.where(low > 0, ABOVE, np.where(high < 0, BELOW, ALIKE))
    standing = np.where((n < FEWEST) | np.isnan(low), UNSURE, standing)
    return np.where(n == 0, SILENT, standing)
