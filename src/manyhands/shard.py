"""Which part of all things lies in this process: where its own stand among those of all processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from .errors import ParameterError
from .processes import add_up, gathered, rank

__all__ = ["Shard", "in_all"]


class Shard(NamedTuple):
    """places: of the things here (tasks, units, answers) among all, [own]; total: how many there are in all.

    Alone, a shard is the whole, in its order. What is drawn for all (a permutation, a sample) every
    process draws alike from one seed, and takes its own, so that the number of processes does not matter.

    >>> part = Shard(np.array([1, 3]), 4)
    >>> part.every(3).tolist(), part.repeated(2).places.tolist()
    ([1], [2, 3, 6, 7])
    """

    places: np.ndarray
    total: int

    @classmethod
    def whole(cls, n: int) -> Self:
        """All there is."""
        return cls(np.arange(n), n)

    @classmethod
    def of(cls, n: int, places: Any = None) -> Self:
        """So many things here; places: by default those of process 0 stand first. All processes take part."""
        sizes = gathered(n)
        if places is None:
            before = sum(sizes[: rank()])
            return cls(np.arange(before, before + n), sum(sizes))
        own = np.asarray(places, dtype=np.int64)
        _check(own, n, sum(sizes))
        return cls(own, sum(sizes))

    def items(self, counts: np.ndarray) -> Shard:
        """The shard of what these things hold, so many each, in the order of the things. All take part."""
        held = np.zeros(self.total, dtype=np.int64)
        held[self.places] = counts
        in_all(held)
        starts = np.concatenate([[0], np.cumsum(held)])
        own = np.repeat(starts[self.places], counts)
        within = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
        return Shard(own + within, int(starts[-1]))

    def some(self, chosen: np.ndarray) -> Shard:
        """The shard of these things among those that all processes chose. All take part."""
        return self.items(np.bincount(chosen, minlength=len(self.places)))

    def repeated(self, n: int) -> Shard:
        """The shard of n parts of each thing."""
        if n == 1:
            return self
        return Shard((self.places[:, None] * n + np.arange(n)).ravel(), self.total * n)

    def every(self, step: int) -> np.ndarray:
        """Which things here are the first, or so many steps after it, in the order of all; in that order."""
        mine = np.flatnonzero(self.places % step == 0)
        return mine[np.argsort(self.places[mine], kind="stable")]

    def in_order(self, rows: np.ndarray, own: np.ndarray) -> np.ndarray:
        """A row for each of some things here, and those of the other processes, in the order of all things."""
        parts = gathered((self.places[own], rows))
        order = np.argsort(np.concatenate([places for places, _ in parts]), kind="stable")
        return np.concatenate([rows for _, rows in parts])[order]

    def cut(self, order: np.ndarray, size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """From an order of all things, `size` at a time: which are here, and their turn among these `size`.

        >>> [(own.tolist(), turn.tolist()) for own, turn in Shard(np.array([1, 3]), 4).cut(np.array([3, 0, 2, 1]), 3)]
        [([1], [0]), ([0], [0])]
        """
        here = np.full(self.total, -1, dtype=np.int64)
        here[self.places] = np.arange(len(self.places))
        for start in range(0, self.total, size):
            part = here[order[start : start + size]]
            turn = np.flatnonzero(part >= 0)
            yield part[turn], turn


def in_all(sums: np.ndarray) -> np.ndarray:
    """Sums over what is here, made sums over all processes, in place; all take part.

    >>> in_all(np.array([2.0, 1.0])).tolist()
    [2.0, 1.0]
    """
    import torch

    add_up(torch.from_numpy(sums))
    return sums


def _check(own: np.ndarray, n: int, total: int) -> None:
    """Every place is taken once, by one process. All take part: an error here is one everywhere."""
    seen = np.zeros(total + 1, dtype=np.int64)  # the last: places that do not exist
    np.add.at(seen, np.where((own >= 0) & (own < total), own, total), 1)
    if own.shape != (n,):
        seen[total] += 1
    in_all(seen)
    if (seen[:total] != 1).any() or seen[total]:
        raise ParameterError(
            f"places= must give each of the {total} tasks of all processes a place of its own, 0 to {total - 1}, "
            f"one for each of the {n} tasks here"
        )
