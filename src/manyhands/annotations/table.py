"""The table everything reads: who answered which task with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import attach, construct
from .kinds import KINDS, Answers
from .names import Names
from .ragged import group, segment_index, starts_of

if TYPE_CHECKING:
    import polars as pl

    from .summary import Summary

__all__ = ["Annotations", "Rows"]


class Rows(NamedTuple):
    """One entry an annotation: the unit it is about, who said it, and what (a code or number)."""

    unit: np.ndarray
    annotator: np.ndarray
    label: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """Labels from many annotators: sparse, columnar, checked once, frozen.

    Build one with `from_frame`, `from_arrays`, `from_matrix` or `from_dict`, or read a file with
    `manyhands.read`. An *answer* is one annotator's label of one task. A *unit* is what has one
    truth: the task itself for class, ordinal, number and soft labels; a token for tags; a
    (task, label) pair for sets. `rows` lists the annotations one a unit.

    >>> labels = Annotations.from_arrays(["a", "a", "b"], ["ann", "bob", "ann"], ["x", "y", "x"])
    >>> labels
    Annotations(kind='class', 2 tasks, 2 annotators, 3 answers, classes=['x', 'y'])
    >>> labels["b"]
    Traceback (most recent call last):
        ...
    TypeError: select tasks by position, slice or mask; by name with labels.align(['b'])
    """

    kind: str
    tasks: Names
    annotators: Names
    task: np.ndarray  # [answers], ascending
    annotator: np.ndarray  # [answers]
    answers: Answers
    unit_starts: np.ndarray | None = None  # [tasks + 1] for tags; None where it follows
    truth: np.ndarray | None = None  # [units] codes (-1: unknown) or numbers (NaN)
    annotator_features: np.ndarray | None = None  # [annotators, features]
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)  # [answers] each

    from_frame = classmethod(construct.from_frame)
    from_arrays = classmethod(construct.from_arrays)
    from_matrix = classmethod(construct.from_matrix)
    from_dict = classmethod(construct.from_dict)
    from_y = classmethod(construct.from_y)

    def __post_init__(self) -> None:
        arrays = (self.task, self.annotator, self.answers.values, self.truth,
                  self.annotator_features, *self.columns.values())  # fmt: skip
        for array in arrays:
            if array is not None:
                array.flags.writeable = False

    # --- sizes -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def shape(self) -> tuple[int]:
        """As scikit-learn sees a target: one entry a task."""
        return (len(self.tasks),)

    @property
    def n_tasks(self) -> int:
        """How many tasks, with or without answers."""
        return len(self.tasks)

    @property
    def n_annotators(self) -> int:
        """How many annotators, with or without answers."""
        return len(self.annotators)

    @property
    def n_answers(self) -> int:
        """How many answers: (task, annotator) pairs."""
        return len(self.task)

    @property
    def n_units(self) -> int:
        """How many things have one truth each."""
        if self.unit_starts is not None:
            return int(self.unit_starts[-1])
        return self.n_tasks * self._units_a_task

    @property
    def classes(self) -> Names | None:
        """The classes, tags, or members of the sets, in order; None for numbers."""
        return self.answers.classes

    @cached_property
    def unit_classes(self) -> Names:
        """What the truth of one unit may be: no and yes for sets, else the classes."""
        if self.kind == "set":
            return Names([False, True])
        return self.classes if self.classes is not None else Names([])

    @property
    def n_classes(self) -> int:
        """How many values the truth of a unit may take."""
        return len(self.unit_classes)

    @property
    def _units_a_task(self) -> int:
        return len(self.classes or ()) if self.kind == "set" else 1

    # --- the rows, and both orders -------------------------------------------------------------

    @cached_property
    def rows(self) -> Rows:
        """The annotations, one a unit; for one-unit tasks these are the answers, not a copy."""
        values = self.answers.values
        if self.answers.starts is not None:
            lengths = np.diff(self.answers.starts)
            assert self.unit_starts is not None
            first = np.repeat(self.unit_starts[:-1][self.task] - self.answers.starts[:-1], lengths)
            unit = first + np.arange(len(values))
            return Rows(unit.astype(np.int32), np.repeat(self.annotator, lengths), values)
        if self.kind == "set":
            width = self._units_a_task
            unit = self.task[:, None] * np.int64(width) + np.arange(width)
            return Rows(unit.ravel().astype(np.int32), np.repeat(self.annotator, width), values.ravel())
        return Rows(self.task, self.annotator, values)

    @cached_property
    def unit_offsets(self) -> np.ndarray:
        """[tasks + 1]: the units of task i are unit_offsets[i] to unit_offsets[i + 1]."""
        if self.unit_starts is not None:
            return self.unit_starts
        return np.arange(self.n_tasks + 1, dtype=np.int64) * self._units_a_task

    @cached_property
    def task_starts(self) -> np.ndarray:
        """[tasks + 1]: the answers of task i are task_starts[i] to task_starts[i + 1]."""
        return starts_of(np.bincount(self.task, minlength=self.n_tasks))

    @cached_property
    def by_unit(self) -> tuple[np.ndarray, np.ndarray]:
        """The order of the rows by unit, and where each unit starts in it."""
        return group(self.rows.unit, self.n_units)

    @cached_property
    def by_annotator(self) -> tuple[np.ndarray, np.ndarray]:
        """The order of the rows by annotator, and where each annotator starts in it."""
        return group(self.rows.annotator, self.n_annotators)

    # --- other views ---------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Annotations:
        """The chosen tasks, with all classes and all annotators kept."""
        if isinstance(index, str) or (
            isinstance(index, (list, tuple)) and any(isinstance(i, str) for i in index)
        ):
            asked = [index] if isinstance(index, str) else list(index)
            raise TypeError(f"select tasks by position, slice or mask; by name with labels.align({asked!r})")
        return self.take(np.atleast_1d(np.arange(self.n_tasks)[index]))

    def take(self, chosen: np.ndarray) -> Annotations:
        """The tasks at these positions, in this order."""
        chosen = np.asarray(chosen, dtype=np.int64)
        places, starts = segment_index(self.task_starts, chosen)
        units, unit_starts = segment_index(self.unit_offsets, chosen)
        return replace(
            self,
            tasks=self.tasks.take(chosen),
            task=np.repeat(np.arange(len(chosen), dtype=np.int32), np.diff(starts)),
            annotator=self.annotator[places],
            answers=self.answers.take(places),
            unit_starts=None if self.unit_starts is None else unit_starts,
            truth=None if self.truth is None else self.truth[units],
            columns={name: values[places] for name, values in self.columns.items()},
        )

    def where(self, mask: np.ndarray) -> Annotations:
        """The answers where the mask is true, with all tasks, annotators and classes kept."""
        places = np.flatnonzero(mask)
        return replace(
            self,
            task=self.task[places],
            annotator=self.annotator[places],
            answers=self.answers.take(places),
            columns={name: values[places] for name, values in self.columns.items()},
        )

    def with_tasks(self, new: Names) -> Annotations:
        """With these tasks after our own, nobody having answered them."""
        if not len(new):
            return self
        names = Names([*self.tasks, *new], "task ids")
        starts = self.unit_starts
        if starts is not None:
            starts = np.append(starts, np.full(len(new), starts[-1]))
        units = 0 if starts is not None else len(new) * self._units_a_task
        truth = self.truth
        if truth is not None:
            truth = np.append(truth, np.full(units, np.nan if self.kind == "number" else -1, truth.dtype))
        return replace(self, tasks=names, unit_starts=starts, truth=truth)

    def align(self, ids: Any, missing: str = "unlabelled", extra: str = "error") -> Annotations:
        """The tasks in the order of these ids, as the rows of a feature matrix have them.

        missing: an id without labels becomes a task with none ("unlabelled") or an "error".
        extra: a labelled task that is not among the ids is an "error", or left out ("drop").
        """
        return attach.align(self, ids, missing, extra)

    def with_truth(self, truth: Any) -> Annotations:
        """With known truths: a mapping from task to label, or one entry a task (None: unknown)."""
        return attach.with_truth(self, truth)

    def with_annotator_features(self, features: Any) -> Annotations:
        """With features of the annotators: a mapping, or one row an annotator."""
        return attach.with_annotator_features(self, features)

    @staticmethod
    def concat(tables: Any, repeats: str = "error") -> Annotations:
        """Several tables as one: names are matched, and repeated answers dealt with as asked."""
        from .concat import concat

        return concat(list(tables), repeats)

    def summary(self) -> Summary:
        """Counts, spread and oddities, for people."""
        from .summary import summarise

        return summarise(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The majority vote (or mean), so that scikit-learn can stratify by it."""
        from .views import plain_consensus

        values = plain_consensus(self)
        return values if dtype is None else values.astype(dtype)

    def truths(self) -> list[Any]:
        """The known truth of each task as its label, None where unknown."""
        from .views import truths

        return truths(self)

    def to_frame(self) -> pl.DataFrame:
        """A long polars frame: task, annotator, label, and the columns alongside."""
        from .views import to_frame

        return to_frame(self)

    def equals(self, other: Annotations) -> bool:
        """Whether both hold the same names, answers, truths and columns."""
        from .views import equal

        return equal(self, other)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", classes={_shown(self.classes)}"
        return (
            f"Annotations(kind={self.kind!r}, {self.n_tasks} tasks, {self.n_annotators} annotators, "
            f"{self.n_answers} answers{classes})"
        )

    @property
    def truth_is_categorical(self) -> bool:
        """Whether the truth of a unit is one of the classes (else it is a real number)."""
        return KINDS[self.kind].truth == "categorical"


def _shown(names: Names) -> str:
    values = names.to_list()
    return repr(values) if len(values) <= 6 else repr(values[:6])[:-1] + f", ... {len(values)} in all]"
