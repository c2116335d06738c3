"""Features brought to mean 0 and deviation 1, as a layer, so that a saved network holds its scale."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Standardize"]


class Standardize(nn.Module):
    """Subtract the mean, divide by the deviation; fitted once, never trained.

    >>> layer = Standardize(1).fit(torch.tensor([[1.0], [3.0]]))
    >>> layer(torch.tensor([[3.0]])).item()
    1.0
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, n_features: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n_features))
        self.register_buffer("scale", torch.ones(n_features))

    def fit(self, features: Tensor) -> Standardize:
        """Take mean and deviation from features; a constant one keeps its scale."""
        deviation = features.double().std(dim=0, correction=0)
        self.mean.copy_(features.double().mean(dim=0))
        self.scale.copy_(torch.where(deviation > 1e-12, 1 / deviation, 1.0))
        return self

    def forward(self, features: Tensor) -> Tensor:
        """Standardised."""
        return (features - self.mean) * self.scale
