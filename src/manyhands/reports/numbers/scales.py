"""How much of the scale each annotator of numbers uses."""

from __future__ import annotations

import numpy as np

from ...channels.votes import number_votes
from ...results import Result

__all__ = ["scales"]

FEWEST = 8  # numbers, before a slope is fitted to them


def scales(result: Result) -> np.ndarray:
    """The slope of each annotator's numbers over the consensus, by least squares; nan for too few.

    1 uses the scale as the others do, .5 squeezes it to half, 0 says the same whatever it is.

    >>> from manyhands import Annotations, Mean
    >>> labels = Annotations.from_matrix([[i, i, i / 2 + 3] for i in range(10)], kind="number")
    >>> squeezed = scales(Mean().fit(labels).result_)
    >>> bool(squeezed[2] < 0.7 < squeezed[0])
    True
    """
    votes = number_votes(result.labels)
    mean, size = result.numbers.mean[votes.unit], votes.n_annotators
    n = np.bincount(votes.annotator, minlength=size)
    x = mean - (np.bincount(votes.annotator, mean, size) / np.maximum(n, 1))[votes.annotator]
    squares = np.bincount(votes.annotator, x * x, size)
    slope = np.bincount(votes.annotator, x * votes.value, size) / np.maximum(squares, 1e-300)
    return np.where((n >= FEWEST) & (squares > 1e-12), slope, np.nan)
