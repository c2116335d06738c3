"""How each annotator would answer each unit: p(label | truth), from a result's evidence or a model's channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

__all__ = ["AbilityAnswers", "Answers", "ChannelAnswers", "TableAnswers"]


class Answers(Protocol):
    """p(label | truth) of the annotators who may be asked."""

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        ...

    @property
    def width(self) -> int:
        """How many numbers `rows` has a unit; 0 where they are the same for all units."""
        ...

    def rows(self, units: np.ndarray) -> np.ndarray:
        """[annotators, classes, labels], or one such table a unit."""
        ...


@dataclass(frozen=True, eq=False)
class TableAnswers:
    """The same on every unit. table: [annotators, classes, labels]."""

    table: np.ndarray

    @property
    def width(self) -> int:
        """None of its own."""
        return 0

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        return len(self.table)

    def rows(self, units: np.ndarray) -> np.ndarray:
        """The table."""
        return self.table


@dataclass(frozen=True, eq=False)
class AbilityAnswers:
    """GLAD's: right with chance sigmoid(a b), wrong evenly. ability: [annotators], easiness: [units]."""

    ability: np.ndarray
    easiness: np.ndarray
    n_classes: int

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        return len(self.ability)

    @property
    def width(self) -> int:
        """A matrix an annotator."""
        return self.n_annotators * self.n_classes**2

    def rows(self, units: np.ndarray) -> np.ndarray:
        """A coin for each unit and annotator."""
        if self.n_classes == 1:
            return np.ones((len(units), self.n_annotators, 1, 1))
        right = 1 / (1 + np.exp(-self.easiness[units, None] * self.ability))[..., None, None]
        wrong = (1 - right) / (self.n_classes - 1)
        return np.where(np.eye(self.n_classes, dtype=bool), right, wrong)


@dataclass(frozen=True, eq=False)
class ChannelAnswers:
    """A network's channel on the features of the units: competence task by task.

    codes: of those who may be asked among the annotators fitted; -1 is a new one, who answers as the
    others do on average.
    """

    channel: Any
    features: Any  # manyhands.training.Features of the units
    codes: np.ndarray
    fitted: int
    n_classes: int
    n_labels: int

    @property
    def n_annotators(self) -> int:
        """How many may be asked."""
        return len(self.codes)

    @property
    def width(self) -> int:
        """A matrix an annotator."""
        return max(self.n_annotators, self.fitted) * self.n_classes * self.n_labels

    def rows(self, units: np.ndarray) -> np.ndarray:
        """The channel, asked for every label of every annotator on every unit."""
        fresh = (self.codes < 0).any()
        who = np.arange(self.fitted) if fresh else self.codes
        known = self._ask(units, who)
        if not fresh:
            return known
        return np.concatenate([known, known.mean(axis=1, keepdims=True)], axis=1)[:, self.codes]

    def _ask(self, units: np.ndarray, who: np.ndarray) -> np.ndarray:
        import torch

        from ..channels.batch import Batch

        n, j, labels = len(units), len(who), self.n_labels
        place = torch.arange(n).repeat_interleave(j * labels)
        annotator = torch.from_numpy(who.astype(np.int64)).repeat_interleave(labels).repeat(n)
        label, codes = torch.arange(labels).repeat(n * j), torch.from_numpy(units.astype(np.int64))
        batch = Batch(place, annotator, label, None, codes, self.features.rows(codes))
        self.channel.eval()
        with torch.no_grad():
            logs = self.channel(batch).double().exp().cpu().numpy()
        table: np.ndarray = logs.reshape(n, j, labels, self.n_classes).transpose(0, 1, 3, 2)
        return table / table.sum(axis=3, keepdims=True)
