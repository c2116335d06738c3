"""Sums whose last bit does not depend on the number of threads."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["column_sums", "steady_sum"]

ROWS = 1024  # added in float32 before float64 takes over
PIECE = 16384  # torch adds no more than 32768 numbers on one thread


def steady_sum(values: Tensor) -> float:
    """The sum of all entries, in pieces of fixed size that are each added on one thread.

    >>> steady_sum(torch.ones(3, 40_000))
    120000.0
    """
    pieces = [piece.sum(dtype=torch.float64) for piece in values.reshape(-1).split(PIECE)]
    return float(torch.stack(pieces).sum()) if pieces else 0.0


def column_sums(values: Tensor) -> Tensor:
    """The sum of each column in float64: float32 over pieces of rows, each on one thread.

    >>> column_sums(torch.ones(5000, 2)).tolist()
    [5000.0, 5000.0]
    """
    whole = len(values) // ROWS * ROWS
    pieces = values[:whole].view(whole // ROWS, ROWS, values.shape[1]).sum(dim=1)
    return pieces.double().sum(dim=0) + values[whole:].double().sum(dim=0)
