"""A linear map: logistic regression, when trained on labels."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from .standardize import Standardize

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear:
    """logits = W x + b. standardize: bring the features to one scale first."""

    standardize: bool = True

    def build(self, n_features: int, n_classes: int) -> nn.Module:
        """The module."""
        scale = Standardize(n_features) if self.standardize else nn.Identity()
        return nn.Sequential(scale, nn.Linear(n_features, n_classes))
