"""What is in a table, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .ragged import counts, starts_of

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """Counts and spread of a table of labels."""

    kind: str
    tasks: int
    annotators: int
    answers: int
    abstentions: int
    classes: dict[Any, int] | None  # answers a class, in the stated order
    answers_a_task: tuple[int, float, int]  # least, mean, most
    answers_an_annotator: tuple[int, float, int]
    silent_annotators: int
    unanswered_tasks: int
    known_truths: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        """One line a figure.

        >>> from manyhands import Annotations
        >>> print(Annotations.from_dict({"t": {"ann": "x", "bob": "y"}}).summary())  # doctest: +ELLIPSIS
        kind                  class
        tasks                 1
        annotators            2
        ...
        """
        return "\n".join(
            f"{name.replace('_', ' '):<21} {_shown(value)}" for name, value in asdict(self).items()
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def summarise(table: Annotations) -> Summary:
    """Count once.

    >>> from manyhands import Annotations
    >>> Annotations.from_dict({"t": {"ann": "x", "bob": "y"}, "u": {}}).summary().unanswered_tasks
    1
    """
    a_task = counts(table.task, table.n_tasks)
    an_annotator = counts(table.annotator, table.n_annotators)
    return Summary(
        kind=table.kind,
        tasks=table.n_tasks,
        annotators=table.n_annotators,
        answers=table.n_answers,
        abstentions=_abstentions(table),
        classes=_class_counts(table),
        answers_a_task=_spread(a_task),
        answers_an_annotator=_spread(an_annotator),
        silent_annotators=int((an_annotator == 0).sum()),
        unanswered_tasks=int((a_task == 0).sum()),
        known_truths=_known_truths(table),
        columns=tuple(table.columns),
    )


def _known_truths(table: Annotations) -> int:
    """Tasks of which something is known."""
    if table.truth is None:
        return 0
    known = ~np.isnan(table.truth) if table.truth.dtype.kind == "f" else table.truth >= 0
    so_far = starts_of(known)
    return int((np.diff(so_far[table.unit_offsets]) > 0).sum())


def _silent(table: Annotations) -> np.ndarray:
    """Entries (of tags: tokens) where nothing was said."""
    values = table.answers.values
    silent = np.asarray(np.isnan(values) if values.dtype.kind == "f" else values < 0)
    return np.asarray(silent.all(axis=1)) if values.ndim == 2 else silent


def _abstentions(table: Annotations) -> int:
    """Answers that say nothing; of sequences, nothing of any token."""
    silent = _silent(table)
    if table.answers.starts is None:
        return int(silent.sum())
    spoken = starts_of(~silent)
    return int((np.diff(spoken[table.answers.starts]) == 0).sum())


def _class_counts(table: Annotations) -> dict[Any, int] | None:
    if table.classes is None:
        return None
    values = table.answers.values
    if values.ndim == 2:
        total = np.maximum(values[~_silent(table)], 0).sum(axis=0, dtype=np.float64)
    else:
        total = counts(values[values >= 0], len(table.classes))
    return dict(zip(table.classes.to_list(), np.round(total).astype(int).tolist(), strict=True))


def _spread(numbers: np.ndarray) -> tuple[int, float, int]:
    if not len(numbers):
        return 0, 0.0, 0
    return int(numbers.min()), round(float(numbers.mean()), 2), int(numbers.max())


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        some = ", ".join(f"{name}: {count}" for name, count in list(value.items())[:12])
        return some + (f", ... {len(value)} in all" if len(value) > 12 else "")
    if isinstance(value, tuple):
        spread = len(value) == 3 and isinstance(value[1], float)
        return (
            f"{value[0]} to {value[2]}, mean {value[1]}" if spread else ", ".join(map(str, value)) or "none"
        )
    return "none" if value is None else str(value)
