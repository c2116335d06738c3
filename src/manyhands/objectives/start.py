"""Where EM begins: shares of votes, which break the symmetry between the classes' names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ..annotations.hashing import mixed
from ..channels import Votes
from ..channels.counting import shares

__all__ = ["Keys", "exponentials", "starting_shares"]

# What tells units apart wherever they stand: a number each, made when it is needed; None: their place.
Keys = Callable[[], np.ndarray] | None


def starting_shares(
    votes: Votes,
    known: Tensor | None = None,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
    keys: Keys = None,
) -> Tensor:
    """The soft majority [units, classes]; known truths are certain; a generator shakes the rest."""
    spoken = votes.label < votes.n_classes  # "cannot say" is a vote for nothing
    if not spoken.all():
        votes = votes._replace(
            unit=votes.unit[spoken], annotator=votes.annotator[spoken], label=votes.label[spoken]
        )
    start = torch.from_numpy(np.ascontiguousarray(shares(votes))).to(dtype)
    if generator is not None:
        noise = exponentials(keys, start.shape, generator)
        start = (start + 1 / max(votes.n_classes, 1)) * noise.to(dtype)
        start /= start.sum(dim=1, keepdim=True)
    if known is not None:
        told = known >= 0
        start[told] = torch.eye(votes.n_classes, dtype=dtype)[known[told]]
    return start


def exponentials(keys: Keys, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Numbers from the exponential distribution, [units, ...], by the generator's seed and each unit's key.

    A unit gets the same in whatever order, block or process it is.
    """
    key = np.arange(shape[0], dtype=np.uint64) if keys is None else keys()
    width = int(np.prod(shape[1:]))
    seed = mixed(np.array([generator.initial_seed()], dtype=np.uint64))
    column = mixed(seed + np.arange(width, dtype=np.uint64))  # seeds next to each other share no column
    bits = mixed(key[:, None] ^ column)
    chance = ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return torch.from_numpy(-np.log(chance)).reshape(shape)
