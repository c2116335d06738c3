"""What agreement is measured on: the labels of each unit, in random blocks of tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..annotations import Annotations, starts_of
from ..errors import UnsupportedError

__all__ = ["MAX_BLOCKS", "Single", "Votes", "collect", "refuse_numbers"]

MAX_BLOCKS = 200  # enough for 95% intervals, few enough that 1000 resamples are one small product


class Single(NamedTuple):
    """The units with one label: they pair with nothing, but show how common a class is."""

    origin: np.ndarray
    label: np.ndarray
    block: np.ndarray


@dataclass(frozen=True, eq=False)
class Votes:
    """The labels of units that have two or more, in order of unit.

    unit, annotator, label: [labels] units are 0 to len(size) - 1; labels are codes, or floats.
    size, block, origin: [units] labels each, block of its task, and its place in the table.
    """

    unit: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    size: np.ndarray
    block: np.ndarray
    origin: np.ndarray
    single: Single
    n_blocks: int
    n_classes: int
    seed: int

    @cached_property
    def counts(self) -> Any:
        """[units, classes] how often each class was said of each unit, as a sparse matrix."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.label), dtype=np.int32)
        shape = (len(self.size), max(self.n_classes, 1))
        counts = csr_array((ones, self.label.astype(np.int32), starts_of(self.size)), shape=shape)
        counts.sum_duplicates()
        return counts

    @cached_property
    def agreeing(self) -> np.ndarray:
        """[units] the ordered pairs of labels that agree: sum over k of n_ik (n_ik - 1)."""
        pairs = self.counts.copy()
        pairs.data = pairs.data.astype(np.float64) * (pairs.data - 1)
        return np.asarray(pairs.sum(axis=1))

    def over_blocks(self, per_unit: np.ndarray) -> np.ndarray:
        """[blocks] the sum of a number that each unit has."""
        return np.bincount(self.block, per_unit, self.n_blocks)

    def classes_over_blocks(self, per_unit: np.ndarray) -> np.ndarray:
        """[blocks, classes] the sum over labels of a number that their unit has."""
        return self._table(self.block[self.unit], self.label, per_unit[self.unit])

    def singles_over_blocks(self) -> np.ndarray:
        """[blocks, classes] the units with one label."""
        return self._table(self.single.block, self.single.label, None)

    def on(self, units: np.ndarray) -> Votes:
        """The votes on these units of the table (a mask); blocks left with none are dropped."""
        chosen = units[self.origin]
        keep, alone = chosen[self.unit], units[self.single.origin]
        blocks, block = np.unique(self.block[chosen], return_inverse=True)
        single = Single(*(column[alone] for column in self.single))
        return replace(
            self, unit=(np.cumsum(chosen) - 1)[self.unit[keep]], annotator=self.annotator[keep],
            label=self.label[keep], size=self.size[chosen], block=block, origin=self.origin[chosen],
            single=single._replace(block=single.block % max(len(blocks), 1)), n_blocks=len(blocks),
        )  # fmt: skip

    def by(self, annotators: np.ndarray) -> Votes:
        """The votes by these annotators (a mask); units may be left with fewer than two."""
        keep = annotators[self.annotator]
        unit = self.unit[keep]
        return replace(
            self, unit=unit, annotator=self.annotator[keep], label=self.label[keep],
            size=np.bincount(unit, minlength=len(self.size)),
        )  # fmt: skip

    def _table(self, block: np.ndarray, label: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        cells = block * np.int64(self.n_classes) + label
        sums = np.bincount(cells, weight, self.n_blocks * self.n_classes)
        return sums[: self.n_blocks * self.n_classes].reshape(self.n_blocks, self.n_classes)


def collect(labels: Annotations, seed: int = 0) -> Votes:
    """The votes of a table, abstentions left out.

    A soft label votes for its most probable class; one whose highest probability is shared by
    several classes votes for none and is left out.

    >>> labels = Annotations.from_matrix([[0, 1, -1], [1, -1, -1]])
    >>> collect(labels).size.tolist()
    [2]
    """
    unit, annotator, label = labels.rows
    if labels.kind == "soft":
        label = _most_probable(label)
    spoken = ~np.isnan(label) if labels.kind == "number" else label >= 0
    size = np.bincount(unit[spoken], minlength=labels.n_units)
    pairable = np.flatnonzero(size >= 2)
    keep, alone = spoken & (size >= 2)[unit], np.flatnonzero(spoken & (size == 1)[unit])
    if (np.diff(unit) < 0).any():
        order = labels.by_unit[0]
        keep = order[keep[order]]
    place = np.zeros(labels.n_units, dtype=np.int32)
    place[pairable] = np.arange(len(pairable))
    task, n_blocks = _blocks(labels, pairable, seed)
    single = Single(unit[alone], label[alone], task[_tasks_of(labels, unit[alone])])
    return Votes(
        place[unit[keep]], annotator[keep], label[keep], size[pairable], task[_tasks_of(labels, pairable)],
        pairable, single, n_blocks, labels.n_classes, seed,
    )  # fmt: skip


def refuse_numbers(labels: Annotations, figure: str) -> None:
    """Figures of classes have no meaning for numbers."""
    if labels.kind == "number":
        raise UnsupportedError(
            f"{figure} counts equal classes, and kind='number' has none: use "
            f"krippendorff_alpha(labels, 'interval'), or read the labels with kind='ordinal'"
        )


def _most_probable(rows: np.ndarray) -> np.ndarray:
    if not rows.shape[1]:
        return np.full(len(rows), -1)
    best = np.nan_to_num(rows, nan=-1.0)
    tied = (best == best.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return np.where(tied, -1, best.argmax(axis=1))


def _tasks_of(labels: Annotations, units: np.ndarray) -> np.ndarray:
    if labels.n_units == labels.n_tasks:
        return units
    return np.searchsorted(labels.unit_offsets, units, side="right") - 1


def _blocks(labels: Annotations, pairable: np.ndarray, seed: int) -> tuple[np.ndarray, int]:
    """[tasks] a block each. Few tasks: one each; many: MAX_BLOCKS random ones of equal size.

    Tasks without a pair of labels join the blocks of the others at random, so that no block
    is without one.
    """
    paired = np.zeros(labels.n_tasks, dtype=bool)
    paired[_tasks_of(labels, pairable)] = True
    n = int(paired.sum())
    n_blocks = min(n, MAX_BLOCKS)
    rng = np.random.default_rng(seed)
    block = np.zeros(labels.n_tasks, dtype=np.int64)
    block[paired] = np.arange(n) if n == n_blocks else rng.permutation(n) % n_blocks
    block[~paired] = rng.permutation(labels.n_tasks - n) % max(n_blocks, 1)
    return block, n_blocks
