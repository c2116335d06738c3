"""What several methods believe together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..results.posterior import ClassPosterior, NumberPosterior, Posterior

__all__ = ["mixture"]


def mixture(posteriors: Sequence[Posterior], weights: np.ndarray) -> Posterior:
    """The weighted mean of chances; of numbers the mean and deviation of the mixture.

    What a method cannot say (nan) is left to the others.

    >>> parts = [ClassPosterior(np.array([[1.0, 0.0]])), ClassPosterior(np.array([[0.0, 1.0]]))]
    >>> mixture(parts, np.array([0.75, 0.25])).chances.tolist()
    [[0.75, 0.25]]
    """
    if any(isinstance(p, NumberPosterior) for p in posteriors):
        return _of_numbers([p for p in posteriors if isinstance(p, NumberPosterior)], weights)
    chances = [p.chances for p in posteriors if isinstance(p, ClassPosterior)]
    mixed = np.zeros(chances[0].shape)
    for weight, part in zip(weights, chances, strict=True):
        mixed += weight * part
    return ClassPosterior(mixed)


def _of_numbers(parts: Sequence[NumberPosterior], weights: np.ndarray) -> NumberPosterior:
    means, sds = (np.stack([getattr(p, name) for p in parts]) for name in ("mean", "sd"))
    share = np.where(np.isnan(means), 0.0, weights[:, None])
    with np.errstate(invalid="ignore"):
        share = share / share.sum(axis=0)
        mean = (share * np.nan_to_num(means)).sum(axis=0)
        spread = (share * (np.nan_to_num(sds) ** 2 + (np.nan_to_num(means) - mean) ** 2)).sum(axis=0)
    return NumberPosterior(mean, np.sqrt(spread))
