"""CoNAL's gate: how likely a label comes from the common noise, by annotator and task."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .bounds import whole
from .sigmoid import sigmoid
from .size import Size

__all__ = ["Gate"]

REFERENCE = 2048  # how many tasks stand for all where a mean over tasks is needed


class Gate(NamedTuple):
    """w = sigmoid(u_j . v_i), u and v unit vectors, v linear in the features (CoNAL, eq. 3)."""

    annotators: np.ndarray  # [R, E] unit vectors u
    weights: np.ndarray  # [D, E]
    bias: np.ndarray  # [E]
    shut: bool  # share 0: nothing is common

    @classmethod
    def of(cls, share: float, size: Size, embedding: int, rng: np.random.Generator) -> Gate:
        """Random vectors, whose biases are set so that the mean of w is the share.

        Both biases lie along one direction c. Equal signs draw u and v together, opposite ones
        apart, which moves the mean of w between sigmoid(-1) and sigmoid(1).
        """
        assert size.gaussians is not None
        width = whole("embedding", embedding, 1)
        n_features = size.gaussians.means.shape[1]
        direction = _unit(rng.standard_normal(width))
        raw = rng.standard_normal((size.n_annotators, width))
        weights = rng.standard_normal((n_features, width)) / np.sqrt(n_features)
        if share == 0:
            return cls(_unit(raw), weights, np.zeros(width), True)
        truth = rng.choice(size.n_classes, 512, p=size.prior)
        projected = size.gaussians.draw(truth, rng).astype(np.float64) @ weights

        def mean_share(pull: float) -> float:
            u, v = _unit(raw[:512] + abs(pull) * direction), _unit(projected + pull * direction)
            return float(sigmoid(v @ u.T).mean())

        pull = _solve(mean_share, share)
        return cls(_unit(raw + abs(pull) * direction), weights, pull * direction, False)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """The vectors, as a crowd's parameters show them."""
        return {"gate_annotators": self.annotators, "gate_weights": self.weights, "gate_bias": self.bias}

    def shares(self, features: np.ndarray, task: np.ndarray, annotator: np.ndarray) -> np.ndarray:
        """[answers] w of each (task, annotator) pair."""
        if self.shut:
            return np.zeros(len(task), dtype=np.float32)
        u, v = self.annotators.astype(np.float32), self._of_tasks(features).astype(np.float32)
        return sigmoid(np.einsum("ne,ne->n", v[task], u[annotator]))

    def by_class(self, size: Size, rng: np.random.Generator) -> np.ndarray:
        """[R, K] the mean of w over tasks of each class, from a reference sample."""
        assert size.gaussians is not None
        if self.shut:
            return np.zeros((size.n_annotators, size.n_classes))
        count = max(16, REFERENCE // size.n_classes)
        means = []
        for k in range(size.n_classes):
            features = size.gaussians.draw(np.full(count, k), rng)
            means.append(sigmoid(self.annotators @ self._of_tasks(features).T).mean(axis=1))
        return np.stack(means, axis=1)

    def _of_tasks(self, features: np.ndarray) -> np.ndarray:
        return _unit(features.astype(np.float64) @ self.weights + self.bias)


def _solve(rising: Callable[[float], float], wanted: float) -> float:
    """Where a rising function of (-inf, inf) takes a value: bisection on a sinh scale."""
    low, high = -12.0, 12.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(np.sinh(middle)) < wanted else (low, middle)
    return float(np.sinh((low + high) / 2))


def _unit(vectors: np.ndarray) -> np.ndarray:
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
