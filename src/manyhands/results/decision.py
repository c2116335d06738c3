"""From chances to one class: the likeliest, or the one that is expected to cost least."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError

__all__ = ["COSTS", "cheapest", "cost_matrix"]

COSTS = {"absolute": 1, "squared": 2}  # powers of the distance in classes


def cost_matrix(cost: Any, labels: Annotations) -> np.ndarray:
    """What each decision costs under each truth, [classes, classes].

    cost: "absolute" or "squared", of the distance between ordered classes; or the matrix itself.
    """
    n = labels.n_classes
    if isinstance(cost, str) and cost in COSTS:
        if not labels.is_ordered:
            raise ParameterError(
                f"cost={cost!r} counts the classes between answer and truth, but those of kind={labels.kind!r} "
                f"have no order: say kind='ordinal' (--kind ordinal), or give a matrix of costs"
            )
        place = np.arange(n, dtype=np.float64)
        distance: np.ndarray = np.abs(place[:, None] - place) ** COSTS[cost]
        return distance
    matrix = _as_matrix(cost)
    if matrix is None or matrix.shape != (n, n) or not np.isfinite(matrix).all():
        raise ParameterError(
            f"cost={cost!r} must be {', '.join(map(repr, COSTS))}, or a finite matrix [decision, truth] of "
            f"{n} x {n} for {labels.unit_classes}"
        )
    return matrix


def cheapest(chances: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The decision of least expected cost for each unit (the first of several), and that cost.

    >>> absolute = np.abs(np.arange(3)[:, None] - np.arange(3))
    >>> cheapest(np.array([[.4, .25, .35]]), absolute)
    (array([1]), array([0.75]))
    """
    expected = chances.astype(np.float64) @ costs.T
    best = (expected <= expected.min(axis=1, keepdims=True) + 1e-9).argmax(axis=1)
    return best, expected[np.arange(len(best)), best]


def _as_matrix(cost: Any) -> np.ndarray | None:
    if isinstance(cost, str):
        return None
    try:
        return np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        return None
