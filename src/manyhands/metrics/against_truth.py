"""How right a belief is, by the figures that every comparison shows."""

from __future__ import annotations

import numpy as np

from .calibration import expected_calibration_error
from .classification import accuracy, distance, log_loss
from .regression import regression

__all__ = ["class_figures", "number_figures"]


def class_figures(
    chances: np.ndarray, truth: np.ndarray, *, best: np.ndarray | None = None, ordered: bool = False
) -> dict[str, float]:
    """Accuracy, log-loss and calibration error; of ordered classes the mean distance as well.

    truth: codes, -1 where unknown; beyond all classes: one that nobody used, for which whoever is asked is wrong.
    best: what was decided, where that is not the likeliest class.

    >>> class_figures(np.array([[0.2, 0.8], [0.6, 0.4]]), np.array([1, 2]))["accuracy"]
    0.5
    """
    decided = chances.argmax(axis=1) if best is None else best
    placed = np.where(truth < chances.shape[1], truth, -1)
    wide = np.pad(
        chances, ((0, 0), (0, 1))
    )  # one column for all classes that nobody used: their chance was 0
    return {
        "accuracy": accuracy(decided, truth),
        **({"distance": distance(decided, placed)} if ordered else {}),
        "log_loss": log_loss(wide, truth),
        "calibration_error": expected_calibration_error(wide, truth),
    }


def number_figures(mean: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Root mean squared and mean absolute error, and the correlation."""
    close = regression(mean, truth)
    return {"rmse": close.rmse, "mae": close.mae, "pearson": close.pearson}
