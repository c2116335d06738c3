"""A linear map plus a perceptron: never worse than linear where data are few, bent where they are many."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from .mlp import MLP
from .standardize import Standardize

__all__ = ["SkipMLP", "Sum"]


@dataclass(frozen=True)
class SkipMLP:
    """logits = W x + MLP(x)."""

    hidden: tuple[int, ...] = (128,)
    dropout: float = 0.5

    def build(self, n_features: int, n_classes: int) -> nn.Module:
        """The module."""
        bent = MLP(self.hidden, self.dropout, standardize=False).build(n_features, n_classes)
        return nn.Sequential(Standardize(n_features), Sum(nn.Linear(n_features, n_classes), bent))


class Sum(nn.Module):
    """Several modules' outputs added."""

    def __init__(self, *parts: nn.Module):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, features: Tensor) -> Tensor:
        """Of the same features."""
        first, second = self.parts
        return first(features) + second(features)
