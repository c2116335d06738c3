"""The table everything reads: who answered which task with what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack, final

import numpy as np

from . import attach, construct, select
from .construct import Options
from .frame import from_frame
from .kinds import KINDS, Answers
from .kinds.answers import frozen
from .names import Names
from .ragged import counts, group, starts_of
from .rows import Rows, rows_of
from .truth import with_truth

if TYPE_CHECKING:
    import polars as pl

    from .summary import Summary

__all__ = ["Annotations", "Rows"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Annotations:
    """Labels from many annotators: sparse, columnar, checked once, frozen.

    Build one with `from_frame`, `from_arrays`, `from_matrix` or `from_dict`, or read a file with
    `manyhands.read`; only they check, and copy what they are given. An *answer* is one annotator's
    label of one task. A *unit* is what has one truth: the task itself for class, ordinal, number
    and soft labels; a token for tags; a (task, label) pair for sets. `rows` lists the annotations,
    one a unit.

    >>> labels = Annotations.from_arrays(["a", "a", "b"], ["ann", "bob", "ann"], ["x", "y", "x"])
    >>> labels
    Annotations(kind='class', 2 tasks, 2 annotators, 3 answers, classes=['x', 'y'])
    >>> labels[1:].tasks
    Names(['b'])
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

    def __post_init__(self) -> None:
        for name in ("task", "annotator", "unit_starts", "truth", "annotator_features"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(array))
        columns = {name: frozen(values) for name, values in self.columns.items()}
        object.__setattr__(self, "columns", MappingProxyType(columns))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied without what is cached, and frozen again on the other side."""
        values = [getattr(self, f.name) for f in fields(self)]
        return Annotations, (*values[:-1], dict(self.columns))

    # --- ways in -------------------------------------------------------------------------------

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        task: str | None = None,
        annotator: str | None = None,
        label: str | None = None,
        *,
        kind: str | None = None,
        classes: Any = None,
        abstain: Any = None,
        missing: str = "error",
        repeats: str = "error",
        truth: Any = None,
        tasks: Any = None,
        annotators: Any = None,
        columns: Sequence[str] | None = None,
    ) -> Annotations:
        """From any data frame that narwhals knows (pandas, polars, pyarrow ...), one answer a row.

        Args:
            frame: a long table.
            task: the column of task ids; this and the next two are found by their usual names
                (`item`, `worker`, `answer` ...) where not given.
            annotator: the column of annotator ids.
            label: the column of labels.
            kind: class, ordinal, number, tags, set or soft; found out from the labels by default.
            classes: the classes in their order, also those nobody used; by default the categories
                of a categorical column, else those that occur, in the order of their values.
            abstain: the label or labels that mean "cannot say".
            missing: what an empty label (None, NaN, blank text) does: "error", "drop" or
                "abstain". An empty task or annotator is always an error.
            repeats: what a second answer of one annotator to one task does: "error", or keep the
                "first", the "last" or "all", in the order of the rows.
            truth: a column with the known truth, or a mapping from task to label.
            tasks: all of them, in order, also those with no answer; by default those that occur,
                in order of appearance.
            annotators: the same.
            columns: other columns to keep alongside (by default those named like time or cost).

        docs/labels.md has a table of odd inputs and what each does.

        >>> import polars as pl
        >>> frame = pl.DataFrame({"item": [1, 1, 2], "worker": ["a", "b", "a"], "answer": [0, 1, 1]})
        >>> Annotations.from_frame(frame).n_answers
        3
        """
        return from_frame(
            cls, frame, task, annotator, label, columns, kind=kind, classes=classes, abstain=abstain,
            missing=missing, repeats=repeats, truth=truth, tasks=tasks, annotators=annotators,
        )  # fmt: skip

    @classmethod
    def from_arrays(
        cls,
        task: Any,
        annotator: Any,
        label: Any,
        *,
        columns: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Annotations:
        """From three columns of equal length.

        Whole numbers from 0 on are codes: task 7 is row 7 of the table, whether 0 to 6 occur or
        not, so that it meets row 7 of a feature matrix. (Numbers so scattered that there would be
        over a hundred times more tasks than rows are names.) Other ids come in order of
        appearance. Codes of labels go with named `classes` too.

        Args:
            task: a list, array or series of task ids.
            annotator: the same of annotator ids.
            label: the same of labels; or a matrix with one distribution a row (kind="soft").
            columns: other columns to keep alongside, by name.
            options: those of `from_frame`.

        >>> Annotations.from_arrays([0, 2], [0, 0], [1, 0], classes=["no", "yes"]).n_tasks
        3
        """
        return construct.from_arrays(cls, task, annotator, label, columns=columns, **options)

    @classmethod
    def from_dict(cls, answers: Mapping[Any, Mapping[Any, Any]], **options: Unpack[Options]) -> Annotations:
        """From {task: {annotator: label}}; a task with an empty dictionary is a task with no answer.

        `options` are those of `from_frame`.

        >>> Annotations.from_dict({"t1": {"ann": "x", "bob": "y"}, "t2": {}}).n_tasks
        2
        """
        return construct.from_dict(cls, answers, **options)

    @classmethod
    def from_matrix(cls, matrix: Any, **options: Unpack[Options]) -> Annotations:
        """From a wide matrix, one row a task and one column an annotator.

        NaN, None, empty text or -1 is no answer; with kind="number", where -1 is a number like
        others, only NaN or None. A frame gives its columns as names of annotators, and pandas its
        index as names of tasks; `tasks` and `annotators` name them otherwise. Other `options` are
        those of `from_frame`.

        >>> Annotations.from_matrix([[0, 1, -1], [1, 1, 0]]).n_answers
        5
        """
        return construct.from_matrix(cls, matrix, **options)

    @classmethod
    def from_y(cls, y: Any, **options: Unpack[Options]) -> Annotations:
        """From whatever scikit-learn hands an estimator: ours, a wide matrix, or plain labels.

        Plain labels are one annotator's answers, one a task, in the order of the tasks. `options`
        are those of `from_frame`.

        >>> Annotations.from_y(["spam", "ham", "spam"]).n_annotators
        1
        """
        return construct.from_y(cls, y, **options)

    # --- sizes ---------------------------------------------------------------------------------

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
        return (
            int(self.unit_starts[-1]) if self.unit_starts is not None else self.n_tasks * self._units_a_task
        )

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
    def truth_is_categorical(self) -> bool:
        """Whether the truth of a unit is one of the classes (else it is a real number)."""
        return KINDS[self.kind].truth == "categorical"

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the classes means something, so that errors have a size."""
        return KINDS[self.kind].ordered

    @property
    def _units_a_task(self) -> int:
        return len(self.classes or ()) if self.kind == "set" else 1

    # --- the rows, and both orders: computed once, frozen ----------------------------------------

    @cached_property
    def rows(self) -> Rows:
        """The annotations, one a unit; for one-unit tasks these are the answers, not a copy."""
        return rows_of(self)

    @cached_property
    def unit_offsets(self) -> np.ndarray:
        """[tasks + 1]: the units of task i are unit_offsets[i] to unit_offsets[i + 1]."""
        if self.unit_starts is not None:
            return self.unit_starts
        return frozen(np.arange(self.n_tasks + 1, dtype=np.int64) * self._units_a_task)

    @cached_property
    def task_starts(self) -> np.ndarray:
        """[tasks + 1]: the answers of task i are task_starts[i] to task_starts[i + 1]."""
        return frozen(starts_of(counts(self.task, self.n_tasks)))

    @cached_property
    def by_unit(self) -> tuple[np.ndarray, np.ndarray]:
        """The order of the rows by unit, and where each unit starts in it."""
        order, starts = group(self.rows.unit, self.n_units)
        return frozen(order), frozen(starts)

    @cached_property
    def by_annotator(self) -> tuple[np.ndarray, np.ndarray]:
        """The order of the rows by annotator, and where each annotator starts in it."""
        order, starts = group(self.rows.annotator, self.n_annotators)
        return frozen(order), frozen(starts)

    # --- other tables --------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Annotations:
        """The chosen tasks, with all classes and all annotators kept."""
        return self.take(select.positions(index, self.n_tasks))

    def take(self, chosen: np.ndarray) -> Annotations:
        """The tasks at these positions, in this order; no task twice."""
        return select.take(self, chosen)

    def where(self, mask: np.ndarray) -> Annotations:
        """The answers where the mask is true, with all tasks, annotators and classes kept."""
        return select.where(self, mask)

    def of_label(self, label: Any) -> Annotations:
        """One label of sets, as a table of kind class: False (no) and True (yes).

        >>> Annotations.from_dict({"t": {"ann": {"x", "y"}, "bob": {"y"}}}).of_label("x").answers.values
        array([1, 0], dtype=int8)
        """
        from .one_label import of_label

        return of_label(self, label)

    def align(self, ids: Any, missing: str = "unlabelled", extra: str = "error") -> Annotations:
        """The tasks in the order of these ids, as the rows of a feature matrix have them.

        missing: an id without labels becomes a task with none ("unlabelled") or an "error".
        extra: a labelled task that is not among the ids is an "error", or left out ("drop").

        >>> labels = Annotations.from_dict({"t1": {"ann": "x"}, "t2": {"ann": "y"}})
        >>> labels.align(["t2", "t9", "t1"]).tasks
        Names(['t2', 't9', 't1'])
        """
        return attach.align(self, ids, missing, extra)

    def with_tasks(self, new: Any) -> Annotations:
        """With these tasks after our own, nobody having answered them."""
        return attach.with_tasks(self, new)

    def with_truth(self, truths: Any) -> Annotations:
        """With known truths, in place of any known before.

        Args:
            truths: a mapping from task to label; a tuple (task ids, labels); or one entry a task.
                None is unknown. A truth of soft labels is a class; of sets a subset, or
                {label: yes or no} where a label that is left out is unknown.

        >>> labels = Annotations.from_dict({"t1": {"ann": "x"}, "t2": {"ann": "y"}})
        >>> labels.with_truth({"t2": "x"}).truths()
        [None, 'x']
        """
        return with_truth(self, truths)

    def with_annotator_features(self, features: Any) -> Annotations:
        """With features of the annotators: a mapping, or one row an annotator."""
        return attach.with_annotator_features(self, features)

    @staticmethod
    def concat(tables: Iterable[Annotations], repeats: str = "error") -> Annotations:
        """Several tables as one: names are matched, and repeated answers dealt with as asked."""
        from .concat import concat

        return concat(tables, repeats)

    # --- other views ---------------------------------------------------------------------------

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
        """A long polars frame: task, annotator, label (null: an abstention), and the columns alongside."""
        from .views import to_frame

        return to_frame(self)

    def equals(self, other: Annotations) -> bool:
        """Whether both hold the same names, answers, truths, features and columns."""
        from .views import equal

        return equal(self, other)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", classes={repr(self.classes)[6:-1]}"
        return (
            f"Annotations(kind={self.kind!r}, {self.n_tasks} tasks, {self.n_annotators} annotators, "
            f"{self.n_answers} answers{classes})"
        )
