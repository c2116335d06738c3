"""CoNAL's gate: how likely a label comes from the common noise, by annotator and task."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .sparse import embedding
from .task_sample import TaskSample
from .unit_gate import unit, unit_gate

__all__ = ["CommonGate"]

FLAT = 1e-6  # a deviation below this is a constant feature's


class CommonGate(nn.Module):
    r"""$w = \sigma(\hat u_j \cdot \hat v_i / \tau)$ (CoNAL, eq. 3).

    Features are brought to one scale, that of the first tasks of training; annotators' features
    to that of the annotators. Where the channel sees no row of features (words, pictures) there is one v for all
    tasks, and the gate is the annotator's alone.
    """

    mean: Tensor
    scale: Tensor
    temperature: Tensor
    described: Tensor | None
    their_mean: Tensor
    their_scale: Tensor

    def __init__(self, sizes: Sizes, length: int, temperature: float):
        super().__init__()
        self.register_buffer("temperature", torch.tensor(float(temperature)), persistent=False)
        self.tasks, self._is_scaled = TaskSample(sizes), False
        self.of_task = nn.Linear(sizes.n_features, length) if sizes.n_features else Everywhere(length)
        self.register_buffer("mean", torch.zeros(sizes.n_features))
        self.register_buffer("scale", torch.ones(sizes.n_features))
        self.table: nn.Embedding | None = None
        self._describe(sizes, length)

    def forward(self, batch: Batch, tabulated: bool) -> Tensor:
        """W of every vote, [votes]; from a table of all annotators where that is smaller."""
        row = batch.annotator if tabulated else None
        return unit_gate(*self.vectors(batch, tabulated), batch.unit, row, self.temperature)

    def vectors(self, batch: Batch, tabulated: bool) -> tuple[Tensor, Tensor]:
        """V of the tasks, and u of all annotators or of every vote; of any length."""
        features = batch.features if len(self.mean) else self.mean.new_zeros(batch.n_units, 0)
        if self.training and len(self.mean):
            self._look(batch)
        return self.of_tasks(features), self.rows(None if tabulated else batch.annotator)

    def of_tasks(self, features: Tensor) -> Tensor:
        """V."""
        return self.of_task((features - self.mean) * self.scale)

    def rows(self, annotator: Tensor | None) -> Tensor:
        """U of these annotators, or of all."""
        if self.table is not None:
            return self.table.weight if annotator is None else self.table(annotator)
        assert self.described is not None
        return self.of_annotator(self.described if annotator is None else self.described[annotator])

    @property
    def is_sparse(self) -> bool:
        """Whether its table's gradients are sparse, so that it must be read by rows."""
        return self.table is not None and self.table.sparse

    def rows_for(self, features: Tensor) -> Tensor:
        """U of annotators never seen, from their features."""
        if self.described is None:
            raise ParameterError(
                "annotators never seen have no place in the gate: the channel was built without annotator "
                "features; give annotator_features in the labels"
            )
        if features.ndim != 2 or features.shape[1] != self.described.shape[1]:
            raise ParameterError(
                f"annotator features have shape {tuple(features.shape)}; give {self.described.shape[1]} a row"
            )
        return self.of_annotator((features.to(self.their_mean) - self.their_mean) * self.their_scale)

    @torch.no_grad()
    def mean_shares(self, rows: Tensor) -> Tensor:
        """The mean of w over the sample of tasks, by class: [annotators, classes]."""
        v = unit(self.of_tasks(self.tasks.rows))
        parts = [
            (unit(u) @ v.T / self.temperature).sigmoid() @ self.tasks.weights.to(v)
            for u in rows.split(65_536)
        ]
        return torch.cat(parts)

    @torch.no_grad()
    def _look(self, batch: Batch) -> None:
        """Remember tasks while there is room, and take the scale from them."""
        if self._is_scaled:
            return
        before = int(self.tasks.filled)
        self.tasks.keep(batch)
        self._is_scaled = int(self.tasks.filled) == before and before > 0
        if not self._is_scaled:
            rows = self.tasks.rows
            deviation = rows.std(dim=0, correction=0)
            self.mean.copy_(rows.mean(dim=0))
            self.scale.copy_(torch.where(deviation > FLAT, 1 / deviation, 1.0))

    def _describe(self, sizes: Sizes, length: int) -> None:
        given = sizes.annotator_features
        if given is None:
            self.table = embedding(sizes.n_annotators, length)
            nn.init.normal_(self.table.weight)
            self.register_buffer("described", None)
            return
        rows = given.double()
        deviation = rows.std(dim=0, correction=0)
        scale = torch.where(deviation > FLAT, 1 / deviation, 1.0)
        self.register_buffer("their_mean", rows.mean(dim=0).float())
        self.register_buffer("their_scale", scale.float())
        self.register_buffer("described", ((rows - rows.mean(dim=0)) * scale).float())
        self.of_annotator = nn.Linear(given.shape[1], length)


class Everywhere(nn.Module):
    """The same vector whatever the task."""

    def __init__(self, length: int):
        super().__init__()
        self.vector = nn.Parameter(torch.randn(length))

    def forward(self, features: Tensor) -> Tensor:
        """A row a task."""
        return self.vector.expand(len(features), -1)
