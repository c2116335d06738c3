"""Counts in bins of equal width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Histogram", "histogram"]


@dataclass(frozen=True)
class Histogram:
    """edges: one more than counts."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


def histogram(values: np.ndarray, low: float, high: float, bins: int) -> Histogram:
    """Count; what lies beyond the ends counts in the bins at the ends.

    >>> histogram(np.array([0.1, 0.6, 1.0]), 0, 1, 2)
    Histogram(edges=(0.0, 0.5, 1.0), counts=(1, 2))
    """
    counts, edges = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))
    return Histogram(tuple(edges.round(6).tolist()), tuple(counts.tolist()))
