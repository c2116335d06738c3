"""The logistic function."""

from __future__ import annotations

import numpy as np

__all__ = ["sigmoid"]


def sigmoid(logit: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-logit)), through tanh, which cannot overflow.

    >>> sigmoid(np.array([-1000.0, 0.0])).tolist()
    [0.0, 0.5]
    """
    return (1 + np.tanh(logit / 2)) / 2
