"""What lies before us: how many tasks, annotators and labels, and by what method they were read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...catalog import METHODS, TRAINED
from ...results import Result

__all__ = ["UNITS", "Overview", "overview"]

# What has one truth, in the words of people, by kind of label.
UNITS = {"tags": "token", "set": "task and label"}


@dataclass(frozen=True)
class Overview:
    """Counts of the table, and the method's own account of itself.

    unit: what has one truth: "task", "token" ...; units: how many.
    labels_a_task, labels_an_annotator: least, mean, most.
    paper: where the method is from, "" where it is nobody's. settings: (name, value) as text.
    """

    kind: str
    method: str
    paper: str
    tasks: int
    annotators: int
    labels: int
    unit: str
    units: int
    abstentions: int
    unanswered: int
    silent: int
    known_truths: int
    labels_a_task: tuple[int, float, int]
    labels_an_annotator: tuple[int, float, int]
    steps: int
    converged: bool
    settings: tuple[tuple[str, str], ...]


def overview(result: Result) -> Overview:
    """Count.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_dict({"t": {"ann": "x", "bob": "y"}, "u": {}})
    >>> found = overview(MajorityVote().fit(labels).result_)
    >>> found.labels, found.unanswered, found.unit
    (2, 1, 'task')
    """
    labels = result.labels
    counted = labels.summary()
    known = (METHODS | TRAINED).get(result.method)
    return Overview(
        labels.kind, result.method, known.paper if known and known.paper != "-" else "", counted.tasks, counted.annotators, counted.answers,
        UNITS.get(labels.kind, "task"), labels.n_units, counted.abstentions, counted.unanswered_tasks,
        counted.silent_annotators, counted.known_truths if result.uses_truth else 0, counted.answers_a_task,
        counted.answers_an_annotator, len(result.history), result.converged, _settings(result.settings),
    )  # fmt: skip


def _settings(settings: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in sorted(settings.items()) if value is not None)
