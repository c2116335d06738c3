"""What no vote shows: tasks on which everybody is misled together, so that the consensus is wrong for good."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParameterError

__all__ = ["MISLED", "misled_draws"]

# Beta of the share of tasks that stay wrong with all labels, by moments over eight real crowds
# (benchmarks/forecast.py); half of all crowds are taken to have none.
MISLED = (1.9, 16.0)
NONE = 0.5
GRID = np.linspace(0.0, 0.6, 601)


def misled_draws(
    misled: Any, sure: np.ndarray, right: np.ndarray, n_classes: int, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Draws of the share of tasks that mislead, [n].

    misled: (a, b) of a Beta; None for no such tasks. sure, right: of tasks whose truth is known to the
    user, but not to the fit: the chance of the consensus there, and whether it was right.

    >>> rng = np.random.default_rng(0)
    >>> sure, right = np.full(100, 0.99), np.arange(100) >= 20
    >>> bool(0.1 < misled_draws(MISLED, sure, right, 2, 1000, rng).mean() < 0.3)
    True
    """
    if misled is None:
        return np.zeros(n)
    try:
        a, b = (float(v) for v in misled)
    except (TypeError, ValueError):
        a = b = 0.0
    if not (a > 0 and b > 0):
        raise ParameterError(f"misled={misled!r} must be the two counts of a Beta, such as {MISLED}, or None")
    chances = _prior(a, b)
    hit = of_consensus(sure[:, None], GRID, n_classes)
    logs = np.log(np.where(right[:, None], hit, 1 - hit).clip(1e-12)).sum(axis=0)
    chances = chances * np.exp(logs - logs.max())
    return rng.choice(GRID, size=n, p=chances / chances.sum())


def of_consensus(accuracy: Any, misled: Any, n_classes: int) -> Any:
    """Accuracy against the truth, where `accuracy` is against what people take for the truth."""
    return accuracy * (1 - misled) + misled * (1 - accuracy) / max(n_classes - 1, 1)


def _prior(a: float, b: float) -> np.ndarray:
    """Mass on the grid: one part at none, one part by the Beta."""
    from scipy.stats import beta

    edges = np.concatenate([[0.0], (GRID[1:] + GRID[:-1]) / 2, [1.0]])
    mass = np.diff(beta.cdf(edges, a, b)) * (1 - NONE)
    mass[0] += NONE
    return mass
