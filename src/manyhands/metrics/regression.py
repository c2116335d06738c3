"""How close predicted numbers are to true ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError

__all__ = ["Closeness", "regression"]


class Closeness(NamedTuple):
    """Mean absolute error, root mean squared error, R squared, Pearson's r, and how many units."""

    mae: float
    rmse: float
    r2: float
    pearson: float
    n: int


def regression(predicted: Any, truth: Any) -> Closeness:
    """The errors of predicted numbers over the units whose truth is known (not nan).

    r2 and pearson are nan where the truth does not vary, pearson also where the prediction does not.

    >>> regression([1.0, 2.0, 3.0], [1.0, 2.0, 5.0]).mae
    0.6666666666666666
    """
    guess, true = np.asarray(predicted, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if guess.shape != true.shape or guess.ndim != 1:
        raise ParameterError(f"predicted has shape {guess.shape}, truth {true.shape}: give one number a unit")
    guess, true = guess[~np.isnan(true)], true[~np.isnan(true)]
    if not len(true):
        return Closeness(np.nan, np.nan, np.nan, np.nan, 0)
    error = guess - true
    spread = ((true - true.mean()) ** 2).sum() if np.ptp(true) > 0 else 0.0
    r2 = 1 - float((error**2).sum() / spread) if spread else np.nan
    mae, rmse = float(np.abs(error).mean()), float(np.sqrt((error**2).mean()))
    return Closeness(mae, rmse, r2, _pearson(guess, true), len(true))


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    if not (np.ptp(x) > 0 and np.ptp(y) > 0):
        return np.nan
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))
