"""Values at every vote, and sums of votes: for channels that depend on the task as well."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from .votes import NumberVotes, Votes

__all__ = ["VoteIndex"]


class VoteIndex:
    """Values of units and annotators at every vote, and sums of votes back to them.

    One-dimensional index_add_ runs on one thread: its sums never depend on their number.
    """

    def __init__(self, votes: Votes | NumberVotes):
        self.unit = torch.from_numpy(votes.unit.astype(np.int64))
        self.annotator = torch.from_numpy(votes.annotator.astype(np.int64))
        self.sizes = (votes.n_units, votes.n_annotators)

    def of_units(self, values: Tensor) -> Tensor:
        """Each vote's unit's value."""
        return values[self.unit]

    def of_annotators(self, values: Tensor) -> Tensor:
        """Each vote's annotator's value."""
        return values[self.annotator]

    def per_unit(self, values: Tensor) -> Tensor:
        """Sums over the votes of each unit."""
        return values.new_zeros(self.sizes[0]).index_add_(0, self.unit, values)

    def per_annotator(self, values: Tensor) -> Tensor:
        """Sums over the votes of each annotator."""
        return values.new_zeros(self.sizes[1]).index_add_(0, self.annotator, values)
