"""The mean Pearson correlation of pairs of annotators who gave numbers."""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..errors import UnsupportedError
from .bootstrap import Resampling, resampling
from .cohen import MIN_SHARED
from .figures import Figure
from .pairs import Meetings, checked_share, mean_over_pairs
from .votes import Votes, collect

__all__ = ["mean_correlation", "mean_correlation_of"]


def mean_correlation(
    labels: Annotations,
    *,
    min_shared: int = MIN_SHARED,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Figure:
    """The mean of Pearson's r over pairs of annotators, weighted by the units that they share.

    It is blind to each annotator's own bias and scale, which alpha counts as disagreement.

    >>> labels = Annotations.from_matrix([[1.0, 3.0], [2.0, 5.0], [4.0, 9.0]], kind="number")
    >>> round(mean_correlation(labels, min_shared=3).value, 6)
    1.0
    """
    if labels.kind != "number":
        raise UnsupportedError(
            f"mean_correlation needs numbers, not kind={labels.kind!r}: use mean_cohen_kappa, or read the "
            f"labels with kind='number'"
        )
    checked_share(min_shared)
    return mean_correlation_of(collect(labels, seed), min_shared, resampling(level, n_boot, seed))


def mean_correlation_of(votes: Votes, min_shared: int, how: Resampling) -> Figure:
    """The mean correlation, from votes."""
    return mean_over_pairs("correlation", votes, min_shared, _pairwise, how)


def _pairwise(met: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """The r of each pair, and the share of each meeting in n r: r plus its influence on r."""
    n = np.bincount(met.pair, minlength=met.n_pairs)
    x, y = (_standard(values, met.pair, n) for values in (met.a, met.b))
    r = np.bincount(met.pair, x * y, met.n_pairs) / np.maximum(n, 1)
    return r, r[met.pair] + x * y - r[met.pair] * (x**2 + y**2) / 2


def _standard(values: np.ndarray, pair: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Within each pair: mean 0, variance 1; nan where nothing varies."""
    n = np.maximum(n, 1)
    centre = np.bincount(pair, values, len(n)) / n
    apart = values - centre[pair]
    spread = np.sqrt(np.bincount(pair, apart**2, len(n)) / n)
    varies = spread > 1e-12 * np.abs(centre)
    return np.asarray(apart / np.where(varies, spread, np.nan)[pair])
