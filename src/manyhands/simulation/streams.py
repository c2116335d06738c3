"""Where randomness comes from: one seed, and a stream of its own for each purpose and chunk."""

from __future__ import annotations

import numpy as np

__all__ = ["CHUNK", "stream"]

# Tasks are drawn in chunks of this size, each from its own streams, so that a table does not
# depend on how it is cut into blocks. To change it is to change every simulated crowd.
CHUNK = 65_536

PURPOSES = (
    "annotators",
    "activity",
    "features",
    "tasks",
    "turnout",
    "attendance",
    "answers",
    "abstentions",
    "gold",
)


def stream(seed: int, purpose: str, chunk: int = 0) -> np.random.Generator:
    """The generator for one purpose in one chunk; those of others are independent of it.

    >>> bool(stream(0, "tasks").random() == stream(0, "answers").random())
    False
    """
    key = (PURPOSES.index(purpose), chunk)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
