"""Whether a confidence is the chance of being right: reliability by bins, calibration error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ParameterError
from .codes import known_probabilities

if TYPE_CHECKING:
    import polars as pl

__all__ = ["expected_calibration_error", "reliability_table"]


class _Bins(NamedTuple):
    n: np.ndarray
    confidence: np.ndarray  # sums over the units of a bin
    right: np.ndarray


def expected_calibration_error(proba: Any, truth: Any, bins: int = 15) -> float:
    """The gap between confidence and accuracy, averaged over bins by their units.

    Confidence is the highest probability. Bins are of equal width, each with its upper edge but not
    its lower one (Guo et al., 2017). Nan where no truth is known.

    >>> round(expected_calibration_error([[0.2, 0.8], [0.1, 0.9]], [1, 0]), 6)
    0.55
    """
    filled = _filled(proba, truth, bins)
    total = filled.n.sum()
    return float(np.abs(filled.confidence - filled.right).sum() / total) if total else np.nan


def reliability_table(proba: Any, truth: Any, bins: int = 15) -> pl.DataFrame:
    """One row a bin: low, high, n, mean confidence, accuracy (both null where the bin is empty).

    >>> reliability_table([[0.2, 0.8], [0.1, 0.9]], [1, 0], bins=2)["accuracy"].to_list()
    [None, 0.5]
    """
    import polars as pl

    n, confidence, right = _filled(proba, truth, bins)
    edges = np.linspace(0, 1, bins + 1)
    some = np.maximum(n, 1)
    table = pl.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "n": n,
            "confidence": confidence / some,
            "accuracy": right / some,
        }
    )
    known = pl.when(pl.col("n") > 0)
    return table.with_columns(
        known.then("confidence").alias("confidence"), known.then("accuracy").alias("accuracy")
    )


def _filled(proba: Any, truth: Any, bins: int) -> _Bins:
    if bins < 1 or bins != int(bins):
        raise ParameterError(f"bins={bins!r} must be a number of bins, such as 15")
    rows, true = known_probabilities(proba, truth)
    if not len(true):
        return _Bins(np.zeros(bins, dtype=np.int64), np.zeros(bins), np.zeros(bins))
    confidence = rows.max(axis=1)
    place = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    right = rows.argmax(axis=1) == true
    return _Bins(
        np.bincount(place, minlength=bins),
        np.bincount(place, confidence, bins),
        np.bincount(place, right, bins),
    )
