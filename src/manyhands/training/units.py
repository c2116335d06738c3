"""How the units of training relate to tasks: what has one truth each, and what its features are."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import Tensor, nn

from ..annotations import Annotations
from ..networks import build_network
from ..shard import Shard
from .features import Features

__all__ = ["Units"]


class Units:
    """Every task is one unit: what is asked of a task is asked of its unit."""

    per_task = 1
    n_describing = 0

    def features(self, tasks: Features) -> Features:
        """The features of every unit, from those of the tasks."""
        return tasks

    def shard(self, tasks: Shard) -> Shard:
        """Where the units stand among those of all processes, from where the tasks do. All take part."""
        return tasks

    def weights(self, weight: Any) -> Any:
        """What each unit counts, from what each task does."""
        return weight

    def network(self, network: Any, sample: Tensor, n_classes: int) -> nn.Module:
        """A fresh network from features of units to logits of their classes."""
        return build_network(network, sample, n_classes)

    def names(self, labels: Annotations) -> np.ndarray:
        """What the columns of `chances` are called."""
        return np.array(labels.unit_classes.to_list())

    def chances(self, chances: np.ndarray) -> np.ndarray:
        """A row a task, from the units' chances [units, classes]."""
        return chances

    def labels(self, names: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The label of every task, from the class of every unit.

        >>> Units().labels(np.array(["a", "b"]), np.array([1, 0])).tolist()
        ['b', 'a']
        """
        return names[best]

    def truth(self, names: np.ndarray, given: Any) -> np.ndarray:
        """Plain gold labels, comparable with `labels`."""
        return np.asarray(given)
