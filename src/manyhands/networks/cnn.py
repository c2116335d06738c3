"""A small convolutional network for pictures [channels, height, width]."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

__all__ = ["CNN"]


@dataclass(frozen=True)
class CNN:
    """3 x 3 convolutions of the widths in `filters`, each halving the picture, then dense layers.

    The Crowd Layer paper's for dogs and cats, made to fit any size of picture: batch norm,
    dropout, a mean over what is left of the picture.
    """

    filters: tuple[int, ...] = (32, 32, 64, 64)
    hidden: int = 128
    dropout: float = 0.5

    def build(self, n_channels: int, n_classes: int) -> nn.Module:
        """The module; `n_channels` is the first dimension of a picture."""
        layers: list[nn.Module] = []
        width = n_channels
        for wide in self.filters:
            layers += [nn.Conv2d(width, wide, 3, padding=1), nn.BatchNorm2d(wide), nn.ReLU(),
                       nn.MaxPool2d(2, ceil_mode=True)]  # fmt: skip
            width = wide
        head = [
            nn.Linear(width, self.hidden),
            nn.ReLU(),
            nn.Dropout(self.dropout),
            nn.Linear(self.hidden, n_classes),
        ]
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), *head)
