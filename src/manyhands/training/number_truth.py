"""Truths that are numbers: a mean and a variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from ..annotations import Annotations
from ..channels import Votes, number_votes
from ..channels.module import VoteModule
from ..channels.moments import moments_of
from ..channels.number_module import SLIGHT, NumberModule, within
from ..objectives.number_objectives import NUMBER_OBJECTIVES
from ..objectives.objective import Objective
from ..shard import in_all
from .truth import Truth
from .vote_data import VoteData

__all__ = ["NumberTruth"]


class NumberTruth(Truth):
    """The network's output is the mean, over answers of mean 0 and deviation 1; the channel has the variance.

    centre, scale: of the answers: a network begins at 0 and learns at one rate, whatever their units.

    >>> labels = Annotations.from_matrix([[10.0, 30.0]], kind="number")
    >>> truth = NumberTruth(labels)
    >>> truth.centre, truth.scale, truth.known(labels.with_truth([15.0])).tolist()
    (20.0, 10.0, [-0.5])
    """

    objectives: ClassVar[Mapping[str, Objective]] = NUMBER_OBJECTIVES
    channels: ClassVar[tuple[str, type[VoteModule]]] = ("numbers", NumberModule)

    def __init__(self, labels: Annotations):
        super().__init__(labels)
        self._measure(number_votes(labels).value, np.asarray)

    def among(self, labels: Annotations) -> Self:
        """Mean and deviation of the answers of all processes."""
        self._measure(number_votes(labels).value, in_all)
        return self

    def _measure(self, values: np.ndarray, whole: Callable[[np.ndarray], np.ndarray]) -> None:
        total, n = whole(np.array([values.sum(), len(values)]))
        self.centre = float(total / max(n, 1))
        squares = whole(np.array([((values - self.centre) ** 2).sum()]))[0]
        deviation = float(np.sqrt(squares / max(n, 1)))
        self.scale = deviation if deviation > 1e-12 * max(abs(self.centre), 1.0) else 1.0

    def votes(self, labels: Annotations, abstention: str) -> Votes:
        """Numbers in units of the answers' deviation."""
        found = number_votes(labels)
        value = ((found.value - self.centre) / self.scale).astype(np.float32)
        return Votes(found.unit, found.annotator, value, None, found.n_units, found.n_annotators, 1, 1)

    def known(self, labels: Annotations) -> Tensor | None:
        """Numbers in the same units, nan where unknown."""
        if labels.truth is None:
            return None
        return torch.from_numpy(((labels.truth - self.centre) / self.scale).astype(np.float32))

    def told(self, known: Tensor) -> Tensor:
        """Those that are no nan."""
        return ~known.isnan()

    def start(self, votes: Votes, known: Tensor | None) -> Tensor:
        """The mean of the answers, and its standard error squared; where nobody spoke, all answers'."""
        count = np.bincount(votes.unit, minlength=votes.n_units)
        mean = np.bincount(votes.unit, votes.label, votes.n_units) / np.maximum(count, 1)
        noise = within(votes.label.astype(np.float64), votes.unit, votes.n_units, votes.in_all)
        variance = np.where(count > 0, (SLIGHT if np.isnan(noise) else noise) / np.maximum(count, 1), 1.0)
        rows = torch.from_numpy(np.stack([mean, variance], axis=1)).float()
        if known is not None:
            told = self.told(known)
            rows[told] = torch.stack([known[told], torch.zeros_like(known[told])], dim=1)
        return rows

    def read(self, outputs: Tensor, channel: VoteModule) -> Tensor:
        """Rows (mean, variance)."""
        mean = outputs.float().reshape(len(outputs))
        return torch.stack([mean, _spread(channel).to(mean).expand_as(mean)], dim=1)

    def distance(self, log_truth: Tensor, belief: Tensor) -> Tensor:
        """Half the squared error."""
        return 0.5 * (log_truth[:, 0] - belief[:, 0]) ** 2

    def given(self, log_truth: Tensor, known: Tensor, channel: VoteModule) -> tuple[Tensor, Tensor]:
        """No variance where they are known; and the network is to say them."""
        told, mean, variance = self.told(known), log_truth[:, 0], log_truth[:, 1]
        known = known.nan_to_num()  # where nothing is known, nan would spoil the gradient
        squares = 0.5 * (known - mean) ** 2
        if not channel.is_probability:
            return log_truth, torch.where(told, squares, 0.0).sum()
        cost = squares / variance + 0.5 * (variance.log() + math.log(2 * math.pi))
        sure = torch.stack([known, torch.zeros_like(known)], dim=1)
        return torch.where(told[:, None], sure, log_truth), torch.where(told, cost, 0.0).sum()

    def belief(self, log_truth: Tensor) -> Tensor:
        """What the network says is what is believed."""
        return log_truth

    def statistics(self, belief: Tensor, data: VoteData, said: Tensor | None) -> Tensor:
        """Moments [annotators, 8]; before the network was trained its word is 0, the answers' mean."""
        unit = torch.repeat_interleave(data.counts)
        weight = torch.ones_like(data.label) if data.weight is None else data.weight
        share = 1 / data.counts[unit].to(weight)
        word = torch.zeros_like(data.label) if said is None else said[unit, 0]
        far = ((belief[:, 0] - word) ** 2 + belief[:, 1]) * share
        rest = torch.stack([far, share], dim=1) * weight[:, None]
        return moments_of(data.annotator, data.label, belief, rest, weight, data.votes.n_annotators)

    def restored(self, rows: Tensor, channel: VoteModule) -> tuple[np.ndarray, np.ndarray]:
        """Means and deviations in the units of the answers, from rows (mean, variance).

        A bias of the whole crowd may be in all of them, but for truths that are known.
        """
        assert isinstance(channel, NumberModule)
        found, doubt = rows.double().cpu().numpy(), float(channel.common_doubt())
        variance = np.where(found[:, 1] > 0, found[:, 1] + doubt, 0.0)
        return found[:, 0] * self.scale + self.centre, np.sqrt(variance) * self.scale


def _spread(channel: VoteModule) -> Tensor:
    assert isinstance(channel, NumberModule)
    return channel.log_spread.exp()
