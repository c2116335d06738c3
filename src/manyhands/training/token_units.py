"""Units that are tokens: every tag of a sentence is a truth."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..shard import Shard
from .features import Features
from .units import Units

__all__ = ["TokenUnits"]


class TokenUnits(Units):
    """starts: where each sentence starts among the tokens, and where the last one ends."""

    def __init__(self, starts: np.ndarray):
        self.starts = starts

    def features(self, tasks: Features) -> Features:
        """Sentences have them already."""
        return tasks

    def shard(self, tasks: Shard) -> Shard:
        """Sentence after sentence."""
        return tasks.items(np.diff(self.starts))

    def weights(self, weight: Any) -> Any:
        """A sentence's tokens count as it does."""
        return weight if weight is None or np.ndim(weight) != 1 else np.repeat(weight, np.diff(self.starts))

    def names(self, labels: Annotations) -> np.ndarray:
        """The tags."""
        return np.array(labels.unit_classes.to_list())

    def chances(self, chances: np.ndarray) -> Any:
        """A matrix [tokens, tags] a sentence."""
        return [chances[a:b] for a, b in pairwise(self.starts)]

    def labels(self, names: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The list of each sentence's tags.

        >>> TokenUnits(np.array([0, 2, 3])).labels(np.array(["O", "B-A"]), np.array([0, 1, 0])).tolist()
        [['O', 'B-A'], ['O']]
        """
        rows = [names[best[a:b]].tolist() for a, b in pairwise(self.starts)]
        return np.fromiter(rows, dtype=object, count=len(rows))
