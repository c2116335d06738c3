"""The annotations as the engine takes them: unit, annotator and label of every vote, by unit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..annotations import NOT_ASKED, Annotations
from ..errors import ParameterError
from ..shard import Shard, in_all

__all__ = ["ABSTENTION", "NumberVotes", "Votes", "number_votes", "votes_of"]

ABSTENTION = ("ignore", "inform")


class Votes(NamedTuple):
    """Votes in the order of their units.

    label: 0 ... n_labels - 1; with abstention="inform" the last label is "cannot say". Numbers are
        themselves, and then n_labels and n_classes, the width of what a network says, are 1.
    weight: what each vote counts, None where each counts one.
    starts: of sequences, where each task's units start, and where the last one's end.
    shard: where the units stand among those of all processes; None: there are no others.
    """

    unit: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    weight: np.ndarray | None
    n_units: int
    n_annotators: int
    n_labels: int
    n_classes: int
    starts: np.ndarray | None = None
    shard: Shard | None = None

    @property
    def units(self) -> Shard:
        """Where the units stand among all."""
        return Shard.whole(self.n_units) if self.shard is None else self.shard

    def answers(self) -> np.ndarray:
        """How many votes each annotator has given, in all processes, [annotators]."""
        return self.in_all(np.bincount(self.annotator, minlength=self.n_annotators))

    def n_answered(self) -> int:
        """How many units have votes, in all processes."""
        return int(self.in_all(np.array([len(np.unique(self.unit))]))[0])

    def in_all(self, sums: np.ndarray) -> np.ndarray:
        """Sums over the votes here, made sums over those of all processes, which all take part."""
        return sums if self.shard is None else in_all(sums)

    @property
    def total(self) -> float:
        """The weight of all votes together."""
        return float(len(self.unit)) if self.weight is None else float(self.weight.sum(dtype=np.float64))


def votes_of(labels: Annotations, abstention: str = "ignore") -> Votes:
    """The votes of a table of classes, tags, sets or soft labels.

    Of a set, a label that was not asked about has no vote. A soft label is one vote divided among the classes. An abstention is left out, or with
    abstention="inform" one label more.

    >>> labels = Annotations.from_matrix([[0, 1], [1, 1]])
    >>> votes_of(labels).label.tolist()
    [0, 1, 1, 1]
    """
    if abstention not in ABSTENTION:
        raise ParameterError(f"abstention={abstention!r} must be one of {', '.join(map(repr, ABSTENTION))}")
    sizes = (labels.n_units, labels.n_annotators)
    if labels.kind == "soft":
        return _divided(labels, sizes)
    unit, annotator, label = _in_unit_order(labels)
    n_labels = labels.n_classes
    told = label > NOT_ASKED if abstention == "inform" else label >= 0
    if not told.all():
        unit, annotator, label = unit[told], annotator[told], label[told]
    if abstention == "inform" and (label < 0).any():
        label = np.where(label < 0, n_labels, label)
    n_labels += abstention == "inform"
    starts = labels.unit_offsets if labels.kind == "tags" else None
    return Votes(unit, annotator, label, None, *sizes, n_labels, labels.n_classes, starts)


def _in_unit_order(labels: Annotations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = labels.rows
    if labels.kind in ("tags", "set"):  # rows come answer by answer
        order, _ = labels.by_unit
        return rows.unit[order], rows.annotator[order], rows.label[order]
    return rows.unit, rows.annotator, rows.label


def _divided(labels: Annotations, sizes: tuple[int, int]) -> Votes:
    share = np.nan_to_num(labels.answers.values)
    answer, label = np.nonzero(share > 0)
    return Votes(
        labels.task[answer], labels.annotator[answer], label.astype(np.int32),
        share[answer, label], *sizes, labels.n_classes, labels.n_classes,
    )  # fmt: skip


class NumberVotes(NamedTuple):
    """Numbers in the order of their units; abstentions left out."""

    unit: np.ndarray
    annotator: np.ndarray
    value: np.ndarray
    n_units: int
    n_annotators: int


def number_votes(labels: Annotations) -> NumberVotes:
    """The votes of a table of numbers.

    >>> number_votes(Annotations.from_matrix([[1.5, float("nan")]], kind="number")).value.tolist()
    [1.5]
    """
    spoken = np.flatnonzero(~np.isnan(labels.answers.values))
    return NumberVotes(
        labels.task[spoken], labels.annotator[spoken], labels.answers.values[spoken],
        labels.n_units, labels.n_annotators,
    )  # fmt: skip
