"""A small perceptron on the raw features, for what depends on x in a channel."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from ..processes import add_up
from .batch import Sizes

__all__ = ["RunningScale", "perceptron"]

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "selu": nn.SELU, "tanh": nn.Tanh}
FLAT = 1e-6  # a deviation below this is a constant feature's
ENOUGH = 20_000  # rows for mean and deviation


def perceptron(
    channel: str, sizes: Sizes, hidden: Sequence[int], outputs: int, activation: str, dropout: float = 0.0
) -> nn.Sequential:
    """Features brought to one scale, hidden layers, a linear one; `channel` asks, for the message.

    >>> perceptron("Difficulty", Sizes(5, 2, 2, n_features=4), (8,), 3, "relu")(torch.zeros(2, 4)).shape
    torch.Size([2, 3])
    """
    if not sizes.n_features:
        raise ParameterError(
            f"channel {channel} depends on the task's features, one row of numbers a task, and there are none "
            f"(pictures have no row): use Confusion, or rows of features made by a trained network"
        )
    if activation not in ACTIVATIONS:
        raise ParameterError(f"activation={activation!r} must be one of {', '.join(map(repr, ACTIVATIONS))}")
    layers: list[nn.Module] = [RunningScale(sizes.n_features)]
    width = sizes.n_features
    for wide in hidden:
        layers += [nn.Linear(width, wide), ACTIVATIONS[activation](), nn.Dropout(dropout)]
        width = wide
    return nn.Sequential(*layers, nn.Linear(width, outputs))


class RunningScale(nn.Module):
    """Rows brought to mean 0 and deviation 1, both taken from the rows first seen in training.

    A channel may be trained in a loop that the user owns, so nobody is sure to show it the
    features beforehand; and unlike batch normalisation it takes a batch of one.

    >>> scale = RunningScale(1)
    >>> scale(torch.tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """

    seen: Tensor
    mean: Tensor
    squares: Tensor

    among = False  # whether other processes see other rows at the same time

    def __init__(self, n_features: int):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(n_features))
        self.register_buffer("squares", torch.zeros(n_features))

    def forward(self, rows: Tensor) -> Tensor:
        """Standardised."""
        if self.training and self.seen < ENOUGH:
            self._see(rows.detach())
        deviation = (self.squares / self.seen.clamp(min=1)).sqrt()
        return (rows - self.mean) / torch.where(deviation > FLAT, deviation, 1.0)

    def _see(self, rows: Tensor) -> None:
        """Moments of two sets of rows joined (Chan et al., 1979)."""
        n, sums = self._in_all(torch.tensor(float(len(rows))).to(rows)), self._in_all(rows.sum(dim=0))
        if not n:
            return
        mean = sums / n
        move, total = mean - self.mean, self.seen + n
        squares = self._in_all(((rows - mean) ** 2).sum(dim=0)) + move**2 * (self.seen * n / total)
        self.mean = self.mean + move * (n / total)
        self.squares, self.seen = self.squares + squares, total

    def _in_all(self, sums: Tensor) -> Tensor:
        if self.among:
            add_up(sums)
        return sums
