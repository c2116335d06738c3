"""The votes of a table as tensors, cut into batches of whole units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..annotations import starts_of
from ..channels import Batch, Votes
from ..channels.previous import previous_labels

__all__ = ["VoteData"]


class VoteData:
    """Votes unit after unit; a batch costs what its votes cost.

    >>> data = VoteData(Votes(*map(np.array, ([0, 0, 2], [0, 1, 0], [1, 1, 0])), None, 3, 2, 2, 2))
    >>> batch = data.batch(torch.tensor([2, 0]))
    >>> batch.unit.tolist(), batch.label.tolist()
    ([0, 1, 1], [0, 1, 1])
    """

    def __init__(self, votes: Votes, device: torch.device | str = "cpu"):
        self.votes, self.device = votes, torch.device(device)
        self.annotator = torch.from_numpy(votes.annotator.astype(np.int64)).to(device)
        kind = np.float32 if votes.label.dtype.kind == "f" else np.int64  # numbers, or codes of classes
        self.label = torch.from_numpy(votes.label.astype(kind)).to(device)
        self.weight = None if votes.weight is None else torch.from_numpy(votes.weight).float().to(device)
        starts = starts_of(np.bincount(votes.unit, minlength=votes.n_units))
        self.starts = torch.from_numpy(starts).to(device)
        before = None if votes.starts is None else previous_labels(votes).astype(np.int64)
        self.before = None if before is None else torch.from_numpy(before).to(device)
        self.counts = self.starts.diff()

    def batch(self, units: Tensor, features: Any = None) -> Batch:
        """The votes of these units."""
        places, unit = self.places(units)
        return self.taken(units, places, unit, features)

    def taken(self, units: Tensor, places: Tensor, unit: Tensor, features: Any = None) -> Batch:
        """The votes of these units, which stand at these places."""
        weight, before = (None if part is None else part[places] for part in (self.weight, self.before))
        return Batch(unit, self.annotator[places], self.label[places], weight, units, features, before)

    def places(self, units: Tensor) -> tuple[Tensor, Tensor]:
        """Where the votes of these units stand, and which place of the batch each belongs to."""
        counts = self.counts[units]
        unit = torch.repeat_interleave(counts)
        first = self.starts[units] - (counts.cumsum(0) - counts)
        return first[unit] + torch.arange(len(unit), device=unit.device), unit

    def shuffled(
        self, size: int, generator: torch.Generator, among: Tensor | None = None
    ) -> Iterator[Tensor]:
        """Units in random order, `size` at a time."""
        n = self.votes.n_units if among is None else len(among)
        order = torch.randperm(n, generator=generator).to(self.device)
        return iter((order if among is None else among[order]).split(size))
