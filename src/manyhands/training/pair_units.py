"""Units that are (task, label) pairs: the truth of a set is a yes or no for each of its labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..annotations import Annotations
from ..errors import LabelError, UnsupportedError
from ..networks import PerLabel, build_network
from ..shard import Shard
from .features import Features
from .units import Units

__all__ = ["PairFeatures", "PairUnits"]


class PairUnits(Units):
    """Unit i L + l is label l of task i; its features are the task's, then those that say which label.

    described: [labels, width], a row that says which label it is; by default one-hot.

    >>> pairs = PairUnits(3)
    >>> pairs.labels(np.array(["a", "b", "c"]), np.array([1, 0, 1, 0, 0, 0])).tolist()
    [['a', 'c'], []]
    """

    def __init__(self, n_labels: int, described: Tensor | None = None):
        self.per_task = n_labels
        self.described = torch.eye(n_labels) if described is None else described
        self.n_describing = int(self.described.shape[1])

    def features(self, tasks: Features) -> PairFeatures:
        """Each task's row once a label."""
        return PairFeatures(tasks, self.described)

    def shard(self, tasks: Shard) -> Shard:
        """Each task's labels stand together."""
        return tasks.repeated(self.per_task)

    def weights(self, weight: Any) -> Any:
        """A task's labels count as it does."""
        return weight if weight is None or np.ndim(weight) != 1 else np.repeat(weight, self.per_task)

    def network(self, network: Any, sample: Tensor, n_classes: int) -> nn.Module:
        """One body for all labels, with an output for each."""
        features = sample[:, : -self.n_describing]
        return PerLabel(build_network(network, features, self.per_task), self.per_task)

    def names(self, labels: Annotations) -> np.ndarray:
        """The labels."""
        assert labels.classes is not None
        return np.array(labels.classes.to_list())

    def chances(self, chances: np.ndarray) -> np.ndarray:
        """Of yes, [tasks, labels]."""
        return chances[:, 1].reshape(-1, self.per_task)

    def labels(self, names: np.ndarray, best: np.ndarray) -> np.ndarray:
        """The list of each task's labels."""
        rows = best.reshape(-1, self.per_task).astype(bool)
        return np.fromiter((names[row].tolist() for row in rows), dtype=object, count=len(rows))

    def truth(self, names: np.ndarray, given: Any) -> np.ndarray:
        """Lists in the order of the labels; from lists or sets, or a 0 / 1 matrix [tasks, labels]."""
        if isinstance(given, np.ndarray) and given.ndim == 2:
            return self.labels(names, given.ravel())
        known = [set(row) for row in given]
        foreign = set().union(*known) - set(names.tolist())
        if foreign:
            raise LabelError(f"{sorted(map(repr, foreign))[0]} is none of the labels {names.tolist()}")
        return self.labels(names, np.array([[name in row for name in names.tolist()] for row in known]))


class PairFeatures(Features):
    """Rows of (task, label) pairs, made a batch at a time: [x, what says which label].

    >>> from .features import features_of
    >>> pairs = PairUnits(2).features(features_of(np.array([[5.0], [7.0]])))
    >>> pairs.rows(torch.tensor([0, 3])).tolist()
    [[5.0, 1.0, 0.0], [7.0, 0.0, 1.0]]
    """

    def __init__(self, tasks: Features, described: Tensor):
        super().__init__(tasks.source, len(tasks) * len(described), tasks.device)
        self.tasks, self.described = tasks, described.to(tasks.device)
        self.n_describing = int(described.shape[1])
        self.shard = None if tasks.shard is None else tasks.shard.repeated(len(described))
        if len(tasks.shape) != 1 and len(tasks):
            raise UnsupportedError(
                f"each task has features of shape {tasks.shape}; sets of labels need one row of numbers a task, such "
                f"as a trained network gives; or fit one label at a time, OneVsRest(...)"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        return (*self.tasks.shape[:-1], self.tasks.shape[-1] + self.n_describing)

    @property
    def of_task(self) -> tuple[int, ...]:
        """Without the columns that say which label."""
        return self.tasks.of_task

    def rows(self, units: Tensor) -> Tensor:
        """The features of these pairs."""
        n = len(self.described)
        return torch.cat([self.tasks.rows(units // n), self.described[units % n]], dim=1)

    def sample(self, most: int = 20_000) -> Tensor:
        """Some tasks, with one label after the other."""
        rows = self.tasks.sample(most)
        which = torch.arange(len(rows), device=rows.device) % len(self.described)
        return torch.cat([rows, self.described[which]], dim=1)
