"""Votes of some units, as channels and objectives take them in training."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..processes import gathered

__all__ = ["Batch", "Sizes"]


class Batch(NamedTuple):
    """The votes of a batch of units, unit after unit; what they cost is what there is of them.

    unit: [votes] the place of each vote's unit in the batch, ascending.
    annotator, label: [votes]. weight: [votes], or None where each vote counts one.
    units: [batch] which units these are in the whole table.
    features: what the network sees of each unit, for channels that depend on x.
    before: of sequences, the same annotator's label of the token before, [votes]; the number of labels where there is
        none.
    turn, in_all: where a batch is divided among processes: [batch] the place of each of its units that are
        here, and how many votes all of them have.
    """

    unit: Tensor
    annotator: Tensor
    label: Tensor
    weight: Tensor | None
    units: Tensor
    features: Any = None
    before: Tensor | None = None
    turn: Tensor | None = None
    in_all: int | None = None

    @property
    def n_votes(self) -> int:
        """How many votes the batch has, wherever they are."""
        return len(self.unit) if self.in_all is None else self.in_all

    def whole(self, rows: Tensor) -> Tensor:
        """A row of each unit of the batch, in its order, from rows of those here. All processes take part."""
        if self.turn is None:
            return rows
        turns, parts = zip(*gathered((self.turn, rows.detach().cpu())), strict=True)
        return torch.cat(parts)[torch.cat(turns).argsort()].to(rows.device)

    @property
    def n_units(self) -> int:
        """How many units."""
        return len(self.units)

    def per_unit(self, values: Tensor) -> Tensor:
        """Sums of the votes' rows [votes, K] over each unit, [batch, K]."""
        if self.weight is not None:
            values = values * self.weight[:, None]
        return values.new_zeros(self.n_units, values.shape[1]).index_add(0, self.unit, values)

    def total(self, values: Tensor) -> Tensor:
        """The sum of one value a vote."""
        return values.sum() if self.weight is None else (values * self.weight).sum()

    def weight_sum(self) -> Tensor:
        """The weight of all votes together."""
        return torch.tensor(float(len(self.unit))) if self.weight is None else self.weight.sum()


class Sizes(NamedTuple):
    """What a channel is built for.

    annotator_features: [annotators, features] in place of ids, so that new ones get a quality.
    n_describing, units_a_task: of sets: how many of the last features say which label a unit is about, and how
        many labels there are.
    """

    n_annotators: int
    n_labels: int
    n_classes: int
    n_features: int = 0
    n_units: int = 0
    annotator_features: Tensor | None = None
    n_describing: int = 0
    units_a_task: int = 1
