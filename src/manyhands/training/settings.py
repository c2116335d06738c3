"""How to train: plain data, the same for every system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..annotations import Annotations
from ..shard import in_all

__all__ = ["Extent", "Settings"]


class Extent(NamedTuple):
    """How much there is to learn from: tasks, units, and labels of units."""

    n_tasks: int
    n_units: int
    n_labels: int

    @classmethod
    def of(cls, labels: Annotations) -> Extent:
        """Of one table.

        >>> Extent.of(Annotations.from_matrix([[0, 1], [1, 1], [0, 0]]))
        Extent(n_tasks=3, n_units=3, n_labels=6)
        """
        return cls(labels.n_tasks, labels.n_units, len(labels.rows.unit))

    def in_all(self) -> Extent:
        """Of all processes together, which all take part."""
        return Extent(*in_all(np.array(self)).tolist())


@dataclass(frozen=True)
class Settings:
    """Training settings.

    epochs, batch_size: batches are of whole tasks.
    rate, channel_rate, weight_decay, optimizer, schedule: "adam", "adamw", "amsgrad", "sgd";
        no schedule or "cosine".
    epochs_a_round: epochs of the M-step between two E-steps.
    closed_form: let a channel that can be set in closed form be so, in EM.
    majority_epochs: epochs on the soft majority first.
    marginal_epochs: epochs of fine-tuning by the marginal objective, last.
    average: the mean of the weights over the last so many epochs is kept.
    input_dropout: the share of features left out at random in training.
    patience: stop after so many epochs without a better likelihood of the held-out votes.
    mixed_precision: bfloat16 where the device has it.
    """

    epochs: int = 50
    batch_size: int = 64
    rate: float = 1e-3
    channel_rate: float = 1e-3
    weight_decay: float = 0.0
    optimizer: str = "adam"
    schedule: str | None = None
    epochs_a_round: int = 1
    closed_form: bool = True
    majority_epochs: int = 0
    marginal_epochs: int = 0
    average: int = 0
    input_dropout: float = 0.0
    patience: int | None = None
    mixed_precision: bool = False

    @property
    def total(self) -> int:
        """All epochs together."""
        return self.majority_epochs + self.epochs + self.marginal_epochs
