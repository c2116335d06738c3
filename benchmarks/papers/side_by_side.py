"""Small networks of several seeds trained as one: a crowd in copies, each with annotators and a network of its own.

What is learnt of a copy depends on its own labels alone, and Adam takes each number's steps by itself, so a copy is a
run of its own; batches are of `size` tasks of each copy on average, drawn from all. Twenty seeds cost about four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from manyhands import Annotations

from .crowds import Featured

__all__ = ["Copies", "copies", "copies_of"]


class Copies(nn.Module):
    """A network a copy; the last column of the features says which copy a row is of."""

    def __init__(self, networks: Sequence[nn.Module], n_classes: int):
        super().__init__()
        self.networks, self.n_classes = nn.ModuleList(networks), n_classes

    def forward(self, features: Tensor) -> Tensor:
        """Rows of one copy after another, each part by its own network, put back in their order."""
        copy = features[:, -1].long()
        order = copy.argsort(stable=True)
        sizes = torch.bincount(copy, minlength=len(self.networks)).tolist()
        parts = features[order, :-1].split(sizes)
        said = torch.cat([net(part) for net, part in zip(self.networks, parts, strict=True)])
        return said[torch.empty_like(order).scatter_(0, order, torch.arange(len(order)))]


def copies(build: Callable[[int, int], nn.Module], seeds: Sequence[int]) -> Callable[[int, int], Copies]:
    """A factory of networks side by side: (n_features, n_classes) of all from that of one."""

    def made(n_features: int, n_classes: int) -> Copies:
        networks = []
        for seed in seeds:
            torch.manual_seed(seed)
            networks.append(build(n_features - 1, n_classes))
        torch.manual_seed(seeds[0])
        return Copies(networks, n_classes)

    return made


def copies_of(data: Featured, n: int) -> tuple[np.ndarray, Annotations, list[np.ndarray]]:
    """Features and labels of n copies of the crowd; and what is tested, a matrix a copy."""
    labels, rows, classes = data.labels, np.arange(n), data.labels.classes
    assert classes is not None
    task, annotator, said = (np.asarray(column, dtype=np.int64) for column in labels.rows)
    table = Annotations.from_arrays(
        (rows[:, None] * labels.n_tasks + task).ravel(),
        (rows[:, None] * labels.n_annotators + annotator).ravel(),
        np.tile(said, n),
        classes=list(classes),
    )
    return (
        np.concatenate([_marked(data.x, row) for row in rows]),
        table,
        [_marked(data.test_x, row) for row in rows],
    )


def _marked(x: np.ndarray, copy: int) -> np.ndarray:
    return np.column_stack([x, np.full(len(x), copy, dtype=x.dtype)])
