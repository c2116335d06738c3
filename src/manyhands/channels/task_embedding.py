"""An embedding of each task, where there are no features (LIA-E): the features are tasks' numbers."""

from __future__ import annotations

from torch import Tensor, nn

from ..errors import ParameterError

__all__ = ["TaskEmbedding"]


class TaskEmbedding(nn.Module):
    """Rows of a table, by the task's number in the first and only feature.

    >>> import torch
    >>> TaskEmbedding(9, 4)(torch.tensor([[8.0]])).shape
    torch.Size([1, 4])
    """

    def __init__(self, n_tasks: int, width: int = 16):
        super().__init__()
        if not n_tasks:
            raise ParameterError("by_task=True needs the number of tasks: give Sizes(n_units=)")
        self.table = nn.Embedding(n_tasks, width)

    def forward(self, features: Tensor) -> Tensor:
        """The tasks' embeddings, [tasks, width]."""
        rows: Tensor = self.table(features[:, 0].long())
        return rows
