"""Features: one Gaussian a class; of sets, about the sum of their labels' means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Gaussians"]


class Gaussians(NamedTuple):
    """Class means and one spread for all: x ~ N(mean of the truth, spread^2 I).

    >>> Gaussians(np.array([[0.0], [9.0]]), 0.1).draw(np.array([0, 1]), np.random.default_rng(0)).shape
    (2, 1)
    """

    means: np.ndarray  # [K, D]
    spread: float

    @classmethod
    def random(cls, n_classes: int, n_features: int, rng: np.random.Generator) -> Gaussians:
        """Means from a standard Gaussian: at 10 features the best classifier of 6 has about .95."""
        return cls(rng.standard_normal((n_classes, n_features)), 1.0)

    def draw(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Features [n, D] for these truths."""
        noise = rng.standard_normal((len(truth), self.means.shape[1]), dtype=np.float32)
        features: np.ndarray = self.means.astype(np.float32)[truth] + np.float32(self.spread) * noise
        return features

    def draw_sets(self, member: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Features [n, D] of sets [n, K] of 0 and 1."""
        noise = rng.standard_normal((len(member), self.means.shape[1]), dtype=np.float32)
        features: np.ndarray = (member @ self.means).astype(np.float32) + np.float32(self.spread) * noise
        return features
