"""What is in a table, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

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

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def summarise(table: Annotations) -> Summary:
    """Count once.

    >>> from manyhands import Annotations
    >>> Annotations.from_dict({"t": {"ann": "x", "bob": "y"}, "u": {}}).summary().unanswered_tasks
    1
    """
    a_task = np.bincount(table.task, minlength=table.n_tasks)
    an_annotator = np.bincount(table.annotator, minlength=table.n_annotators)
    return Summary(
        kind=table.kind,
        tasks=table.n_tasks,
        annotators=table.n_annotators,
        answers=table.n_answers,
        abstentions=int(_abstained(table).sum()),
        classes=_class_counts(table),
        answers_a_task=_spread(a_task),
        answers_an_annotator=_spread(an_annotator),
        silent_annotators=int((an_annotator == 0).sum()),
        unanswered_tasks=int((a_task == 0).sum()),
        known_truths=sum(t is not None for t in table.truths()),
        columns=tuple(table.columns),
    )


def _abstained(table: Annotations) -> np.ndarray:
    values = table.answers.values
    silent = np.isnan(values) if values.dtype.kind == "f" else values < 0
    return silent.any(axis=1) if values.ndim == 2 else silent


def _class_counts(table: Annotations) -> dict[Any, int] | None:
    if table.classes is None:
        return None
    values = table.answers.values
    if values.ndim == 2:
        counts = np.where(_abstained(table)[:, None], 0, values).sum(axis=0)
    else:
        counts = np.bincount(values[values >= 0].astype(np.int64), minlength=len(table.classes))
    return dict(zip(table.classes.to_list(), np.round(counts).astype(int).tolist(), strict=True))


def _spread(counts: np.ndarray) -> tuple[int, float, int]:
    if not len(counts):
        return 0, 0.0, 0
    return int(counts.min()), round(float(counts.mean()), 2), int(counts.max())
