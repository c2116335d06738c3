"""Confusion matrices: rows are truths k, columns labels l."""

from __future__ import annotations

import numpy as np

__all__ = ["dirichlet_rows", "even_errors"]


def even_errors(accuracy: np.ndarray, n_classes: int) -> np.ndarray:
    """[..., K, K] from a chance of being right: errors fall evenly on the other classes.

    With one class there is nothing to get wrong.

    >>> even_errors(np.array(0.8), 3).tolist()[0]
    [0.8, 0.0999..., 0.0999...]
    """
    right = np.asarray(accuracy, dtype=np.float64)[..., None, None]
    if n_classes == 1:
        return np.ones_like(right)
    wrong = (1 - right) / (n_classes - 1)
    return np.where(np.eye(n_classes, dtype=bool), right, wrong)


def dirichlet_rows(count: int, n_classes: int, concentration: float, rng: np.random.Generator) -> np.ndarray:
    """[count, K, K] with every row from a symmetric Dirichlet distribution."""
    return rng.dirichlet(np.full(n_classes, concentration), (count, n_classes))
