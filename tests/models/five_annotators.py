"""The Crowd Layer paper's five simulated annotators of two classes, who label everything."""

from __future__ import annotations

import numpy as np

from manyhands import Annotations

__all__ = ["ALPHA", "BETA", "five_annotators"]

ALPHA = (0.6, 0.9, 0.5, 0.9, 0.9)  # p(1 | 1)
BETA = (0.7, 0.8, 0.5, 0.2, 0.9)  # p(0 | 0); the fourth is biased against class 0


def five_annotators(n: int = 3000, seed: int = 0) -> tuple[np.ndarray, Annotations, np.ndarray]:
    """Features that tell the classes apart, the labels, the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 4)) + 5.0 * truth[:, None] * np.array([1, 0, 0, 0])
    right = np.where(truth[:, None] == 1, ALPHA, BETA)
    said = np.where(rng.random((n, 5)) < right, truth[:, None], 1 - truth[:, None])
    return x, Annotations.from_matrix(said), truth
