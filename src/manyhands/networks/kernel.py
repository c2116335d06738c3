"""Features of a Gaussian kernel: a linear map of them is a Gaussian process (Nystroem's approximation)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .standardize import Standardize

__all__ = ["Kernel", "KernelFeatures"]

LEAST = 1e-6  # of the largest eigenvalue: what a root may still be taken of


@dataclass(frozen=True)
class Kernel:
    r"""logits = $W \phi(x)$, $\phi(x) \cdot \phi(y) \approx \exp(-\|x - y\|^2 / 2 s^2)$; exact on up to `n_points` tasks.

    Weights with a Gaussian prior make it a Gaussian process: `weight_decay` is the inverse of its
    variance.

    n_points: how many tasks the kernel is centred on. length_scale: s, in deviations of the features;
        None is the median distance of two tasks.
    """

    n_points: int = 300
    length_scale: float | None = None

    def build(self, n_features: int, n_classes: int) -> nn.Module:
        """The module."""
        features = KernelFeatures(n_features, self.n_points, self.length_scale)
        return nn.Sequential(features, nn.Linear(self.n_points, n_classes, bias=False))


class KernelFeatures(nn.Module):
    r"""$\phi(x) = K^{-1/2} k(x)$ at points that are tasks; fitted once, never trained.

    >>> layer = KernelFeatures(1, 3, length_scale=1.0).fit(torch.tensor([[0.0], [1.0], [2.0]]))
    >>> seen = layer(torch.tensor([[0.0], [1.0]]))
    >>> round(float(seen[0] @ seen[1]), 3), round(float((-0.5 / (2 / 3) * torch.ones(())).exp()), 3)
    (0.472, 0.472)
    """

    points: Tensor
    root: Tensor
    length: Tensor

    def __init__(self, n_features: int, n_points: int, length_scale: float | None = None):
        super().__init__()
        self.scale, self.length_scale = Standardize(n_features), length_scale
        self.register_buffer("points", torch.zeros(n_points, n_features))
        self.register_buffer("root", torch.zeros(n_points, n_points))
        self.register_buffer("length", torch.ones(()))

    def fit(self, features: Tensor) -> KernelFeatures:
        """Points spread evenly over the rows; the kernel's length and inverse root."""
        self.scale.fit(features)
        rows = (
            torch.linspace(0, max(len(features) - 1, 0), min(len(features), len(self.points))).long().unique()
        )
        points = self.scale(features[rows])
        self.points[: len(rows)] = points
        self.length.fill_(self._median(points) if self.length_scale is None else self.length_scale)
        size = len(rows)
        values, vectors = torch.linalg.eigh(self._kernel(points.double(), points.double()))
        kept = values > LEAST * values.max()
        root = vectors[:, kept] * values[kept].rsqrt()
        self.root[:size, : root.shape[1]] = root.to(self.root)
        return self

    def forward(self, features: Tensor) -> Tensor:
        """Phi of every row, [rows, points]; points and columns that are not used are zero."""
        seen: Tensor = self._kernel(self.scale(features), self.points) @ self.root
        return seen

    def _kernel(self, a: Tensor, b: Tensor) -> Tensor:
        squares = (a**2).sum(dim=1)[:, None] + (b**2).sum(dim=1) - 2 * a @ b.T
        return (-0.5 * squares.clamp(min=0) / self.length.to(a) ** 2).exp()

    def _median(self, points: Tensor) -> float:
        distances = torch.pdist(points) if len(points) > 1 else torch.ones(1)
        return max(float(distances.median()), 1e-6)
