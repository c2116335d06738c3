"""What is linear in an annotator: in an embedding of their own, or in features that describe them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Sizes
from .sparse import embedding

__all__ = ["Competence"]

FLAT = 1e-6  # a deviation below this is a constant feature's


class Competence(nn.Module):
    """A linear map, [votes, outputs] from annotators [votes]; its bias is where training starts.

    The annotators' features are brought to one scale, and kept in place of a table.
    """

    described: Tensor | None
    mean: Tensor
    scale: Tensor

    def __init__(self, sizes: Sizes, width: int, start: Tensor):
        super().__init__()
        given = sizes.annotator_features
        self.table = None if given is not None else embedding(sizes.n_annotators, width)
        if self.table is not None:
            nn.init.normal_(self.table.weight)
        self._describe(given)
        self.linear = nn.Linear(width if given is None else given.shape[1], len(start))
        nn.init.normal_(self.linear.weight, std=0.05)
        with torch.no_grad():
            self.linear.bias.copy_(start)

    def forward(self, annotator: Tensor) -> Tensor:
        """Of each annotator; all are mapped first where they are fewer than there are votes."""
        table = self.described if self.table is None else self.table.weight
        assert table is not None
        sparse = self.table is not None and self.table.sparse
        if len(table) <= len(annotator) and not sparse:
            return nn.functional.embedding(annotator, self.linear(table))
        rows = table[annotator] if self.table is None else self.table(annotator)
        return self.linear(rows)

    def of(self, features: Tensor) -> Tensor:
        """Of annotators never seen, from their features."""
        if self.described is None:
            raise ParameterError(
                "annotators never seen have no competence: the channel was built without annotator features, "
                "so each annotator has an embedding of their own; give annotator_features in the labels"
            )
        if features.ndim != 2 or features.shape[1] != len(self.mean):
            raise ParameterError(
                f"annotator features have shape {tuple(features.shape)}; give {len(self.mean)} a row, as in training"
            )
        return self.linear((features.to(self.mean) - self.mean) * self.scale)

    def _describe(self, features: Tensor | None) -> None:
        described = None
        if features is not None:
            rows = features.double()
            deviation = rows.std(dim=0, correction=0)
            mean, scale = rows.mean(dim=0), torch.where(deviation > FLAT, 1 / deviation, 1.0)
            self.register_buffer("mean", mean.float())
            self.register_buffer("scale", scale.float())
            described = ((rows - mean) * scale).float()
        self.register_buffer("described", described)
