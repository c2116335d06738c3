"""Truths that are classes: chances that sum to one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..channels.module import ChannelModule, VoteModule
from ..objectives.objective import OBJECTIVES, Objective
from ..objectives.start import starting_shares
from .kinds import units_of
from .rounds import closed_form_counts
from .truth import Truth
from .units import Units
from .vote_data import VoteData

__all__ = ["ClassTruth"]


class ClassTruth(Truth):
    """One of a few classes; the network's outputs are logits.

    >>> ClassTruth().told(torch.tensor([2, -1])).tolist()
    [True, False]
    """

    objectives: ClassVar[Mapping[str, Objective]] = OBJECTIVES
    channels: ClassVar[tuple[str, type[VoteModule]]] = ("classes", ChannelModule)

    def __init__(self, labels: Annotations | None = None, units: Units | None = None):
        super().__init__(labels)
        if units is None:
            units = Units() if labels is None else units_of(labels)
        self.units = units

    def votes(self, labels: Annotations, abstention: str) -> Votes:
        """Codes of labels."""
        return votes_of(labels, abstention)

    def known(self, labels: Annotations) -> Tensor | None:
        """Codes, -1 where unknown."""
        return None if labels.truth is None else torch.from_numpy(labels.truth.astype(np.int64))

    def told(self, known: Tensor) -> Tensor:
        """Those with a code."""
        return known >= 0

    def start(self, votes: Votes, known: Tensor | None) -> Tensor:
        """The soft majority."""
        return starting_shares(votes, known)

    def read(self, outputs: Any, channel: VoteModule) -> Any:
        """Log f, [units, classes]."""
        return outputs.float().log_softmax(dim=1)

    def distance(self, log_truth: Any, belief: Tensor) -> Tensor:
        """Cross-entropy."""
        return -(belief * log_truth).sum(dim=1)

    def given(self, log_truth: Any, known: Tensor, channel: VoteModule) -> tuple[Any, Tensor]:
        """Certain for the votes; and the network is to say them, as in plain training."""
        told = known >= 0
        right = log_truth.gather(1, known.clamp(min=0)[:, None]).squeeze(1)
        if channel.is_probability:
            sure = torch.full_like(log_truth, -torch.inf).scatter(1, known.clamp(min=0)[:, None], 0.0)
            log_truth = torch.where(told[:, None], sure, log_truth)
        return log_truth, -(right * told).sum()

    def belief(self, log_truth: Tensor) -> Tensor:
        """F."""
        return log_truth.exp()

    def statistics(self, belief: Tensor, data: VoteData, said: Tensor | None) -> Tensor:
        """Expected counts [annotators, labels, classes]."""
        return closed_form_counts(belief, data)
