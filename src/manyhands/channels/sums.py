"""Sums whose last bit does not depend on the number of threads."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["steady_sum"]

PIECE = 16384  # torch adds no more than 32768 numbers on one thread


def steady_sum(values: Tensor) -> float:
    """The sum of all entries, in pieces of fixed size that are each added on one thread.

    >>> steady_sum(torch.ones(3, 40_000))
    120000.0
    """
    pieces = [piece.sum(dtype=torch.float64) for piece in values.reshape(-1).split(PIECE)]
    return float(torch.stack(pieces).sum()) if pieces else 0.0
