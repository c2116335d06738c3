"""A multi-layer perceptron."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from .standardize import Standardize

__all__ = ["ACTIVATIONS", "MLP"]

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "selu": nn.SELU, "tanh": nn.Tanh}


@dataclass(frozen=True)
class MLP:
    """Layers of the widths in `hidden`, each with an activation and dropout, then a linear one.

    >>> MLP(hidden=(16, 8)).build(4, 3)(__import__("torch").zeros(2, 4)).shape
    torch.Size([2, 3])
    """

    hidden: tuple[int, ...] = (128,)
    dropout: float = 0.5
    activation: str = "relu"
    batch_norm: bool = False
    standardize: bool = True

    def build(self, n_features: int, n_classes: int) -> nn.Module:
        """The module."""
        layers: list[nn.Module] = [Standardize(n_features)] if self.standardize else []
        width = n_features
        for wide in self.hidden:
            layers.append(nn.Linear(width, wide))
            if self.batch_norm:
                layers.append(nn.BatchNorm1d(wide))
            layers += [ACTIVATIONS[self.activation](), nn.Dropout(self.dropout)]
            width = wide
        return nn.Sequential(*layers, nn.Linear(width, n_classes))
