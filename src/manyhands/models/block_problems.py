"""EM problems over blocks: made once, kept in scratch files, streamed in every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..channels.stored_incidence import StoredIncidence
from ..io.blocks import Blocks
from ..objectives import JointEM
from ..objectives.summed import InBlocks

__all__ = ["in_blocks"]


def in_blocks(blocks: Blocks, make: Callable[[Annotations], Any]) -> InBlocks:
    """The problem of all blocks, from what makes the problem of one.

    Which votes belong to which cell takes longer to find out than a pass takes: it is kept in a file a
    block. What has no such thing (numbers) is made anew in every pass.
    """
    nobody = make(blocks.nobody())
    if not isinstance(nobody, JointEM):
        return InBlocks(lambda: map(make, blocks), nobody, float(blocks.n_answers))
    parts = [_stored(make(labels), blocks, number) for number, labels in enumerate(blocks)]
    own_votes = float(sum(part.own_votes for part in parts))
    return InBlocks(lambda: parts, nobody, own_votes, partial(_fresh, blocks, make))


def _fresh(blocks: Blocks, make: Callable[[Annotations], Any]) -> Iterator[Any]:
    """With votes and, for restarts, the ids of tasks."""
    return (make(blocks.block(number, names=True)) for number in range(blocks.n_blocks))


def _stored(problem: JointEM, blocks: Blocks, number: int) -> JointEM:
    """The same problem without its votes, its incidence in a file."""
    none = np.empty(0, dtype=np.int32)
    problem.incidence = StoredIncidence(problem.incidence, blocks.scratch / f"incidence-{number:06d}.npy")
    problem.keys = None
    for name in ("votes", "of_classes"):
        if hasattr(problem, name):
            slim = getattr(problem, name)._replace(unit=none, annotator=none, label=none)
            setattr(problem, name, slim)
    return problem
