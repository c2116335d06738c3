"""Where EM begins: shares of votes, which break the symmetry between the classes' names."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..channels import Votes
from ..channels.counting import shares

__all__ = ["starting_shares"]


def starting_shares(
    votes: Votes,
    known: Tensor | None = None,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """The soft majority [units, classes]; known truths are certain; a generator shakes the rest."""
    spoken = votes.label < votes.n_classes  # "cannot say" is a vote for nothing
    if not spoken.all():
        votes = votes._replace(
            unit=votes.unit[spoken], annotator=votes.annotator[spoken], label=votes.label[spoken]
        )
    start = torch.from_numpy(np.ascontiguousarray(shares(votes))).to(dtype)
    if generator is not None:
        noise = torch.empty_like(start).exponential_(generator=generator)
        start = (start + 1 / max(votes.n_classes, 1)) * noise
        start /= start.sum(dim=1, keepdim=True)
    if known is not None:
        told = known >= 0
        start[told] = torch.eye(votes.n_classes, dtype=dtype)[known[told]]
    return start
