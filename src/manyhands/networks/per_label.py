"""A network for sets of labels: one body, an output a label, of which each row picks its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import ParameterError

__all__ = ["PerLabel"]


class PerLabel(nn.Module):
    """Logits of no and yes, [rows, 2]; the last columns of a row say which label it is about.

    body: from the features to a logit of yes a label.

    >>> body = nn.Linear(1, 2, bias=False)
    >>> _ = body.weight.data.copy_(torch.tensor([[1.0], [-1.0]]))
    >>> PerLabel(body, 2)(torch.tensor([[3.0, 0.0, 1.0]])).tolist()
    [[0.0, -3.0]]
    """

    def __init__(self, body: nn.Module, n_labels: int):
        super().__init__()
        self.body, self.n_labels = body, n_labels

    def forward(self, rows: Tensor) -> Tensor:
        """No is the logit 0."""
        said = self.body(rows[:, : -self.n_labels])
        if said.shape[1] != self.n_labels:
            raise ParameterError(
                f"network={type(self.body).__name__} gives {said.shape[1]} outputs a task; for sets it must give the "
                f"logit of yes for each of the {self.n_labels} labels"
            )
        yes = (said * rows[:, -self.n_labels :]).sum(dim=1)
        return torch.stack([torch.zeros_like(yes), yes], dim=1)
