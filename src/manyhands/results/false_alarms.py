"""Many tests at once: which findings stand, when so many were looked at."""

from __future__ import annotations

import numpy as np

__all__ = ["q_values"]


def q_values(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg (1995): the share of false alarms to expect among all that are as odd as each.

    Those with q <= .05 hold at most 5% of false alarms on average; where there is nothing to find, one
    search in twenty finds anything. p: of one test each; nan stays nan, and counts for nothing.

    >>> q_values(np.array([0.01, 0.9, 0.02, np.nan])).round(4).tolist()
    [0.03, 0.9, 0.03, nan]
    """
    found = np.full(len(p), np.nan)
    told = np.flatnonzero(~np.isnan(p))
    order = told[np.argsort(p[told], kind="stable")]
    n = len(order)
    found[order] = np.minimum.accumulate((p[order] * n / np.arange(1, n + 1))[::-1])[::-1]
    return found
