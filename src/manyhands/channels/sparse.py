"""Tables of annotators: dense when small, with sparse gradients when large."""

from __future__ import annotations

from torch import nn

__all__ = ["SPARSE_FROM", "embedding"]

# Above about a million parameters a dense optimiser step costs more than the batch itself
# (R = 50 000: 16 ms a step against 1.9).
SPARSE_FROM = 1_000_000


def embedding(rows: int, width: int) -> nn.Embedding:
    """A table of `rows` annotators, all zero."""
    table = nn.Embedding(rows, width, sparse=rows * width > SPARSE_FROM)
    nn.init.zeros_(table.weight)
    return table
