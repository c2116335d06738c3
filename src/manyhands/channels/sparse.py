"""Tables of annotators: dense when small, with sparse gradients when large."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["SPARSE_FROM", "embedding", "ridge"]

# Above about a million parameters a dense optimiser step costs more than the batch itself
# (R = 50 000: 16 ms a step against 1.9).
SPARSE_FROM = 1_000_000


def embedding(rows: int, width: int) -> nn.Embedding:
    """A table of `rows` annotators, all zero."""
    table = nn.Embedding(rows, width, sparse=rows * width > SPARSE_FROM)
    nn.init.zeros_(table.weight)
    return table


def ridge(table: nn.Embedding, row: Tensor, answers: Tensor) -> Tensor:
    """Half the squares of the votes' rows, each row's shared out over all its votes (`answers`, [rows]).

    >>> table = nn.Embedding(2, 3, _weight=torch.ones(2, 3))
    >>> ridge(table, torch.tensor([0, 0, 1]), torch.tensor([4.0, 1.0])).item()
    2.25
    """
    if table.sparse or len(answers) > len(row):
        return 0.5 * ((table(row) ** 2).sum(dim=1) / answers[row]).sum()
    present = torch.bincount(row, minlength=len(answers)) / answers
    return 0.5 * (present @ (table.weight**2).sum(dim=1))
