"""An embedding of the labels of a set (LIA-ML): what labels have in common is learnt once."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["BesideLabel", "LabelEmbedding"]


class LabelEmbedding(nn.Module):
    """A linear map of what describes a label, the last columns of a row; of one-hot columns, a table.

    >>> LabelEmbedding(3, 16)(torch.tensor([[5.0, 0.0, 1.0, 0.0]])).shape
    torch.Size([1, 16])
    """

    def __init__(self, n_describing: int, width: int = 16):
        super().__init__()
        self.n_describing, self.width = n_describing, width
        self.linear = nn.Linear(n_describing, width, bias=False)
        nn.init.normal_(self.linear.weight)

    def forward(self, rows: Tensor) -> Tensor:
        """The labels' embeddings, [rows, width]."""
        said: Tensor = self.linear(rows[:, -self.n_describing :])
        return said


class BesideLabel(nn.Module):
    """The first layer of what depends on a task and a label: scaled features, then the embedding.

    >>> BesideLabel(nn.Identity(), LabelEmbedding(3, 16))(torch.zeros(2, 5)).shape
    torch.Size([2, 18])
    """

    def __init__(self, scale: nn.Module, embedding: LabelEmbedding):
        super().__init__()
        self.scale, self.embedding = scale, embedding

    def forward(self, rows: Tensor) -> Tensor:
        """Columns of both."""
        features = rows[:, : -self.embedding.n_describing]
        return torch.cat([self.scale(features), self.embedding(rows)], dim=1)
