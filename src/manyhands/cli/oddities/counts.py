"""Too few answers, or too many: silence, single votes, repeated pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations, Names

__all__ = ["odd_counts"]


def odd_counts(labels: Annotations) -> list[Oddity]:
    """By task, by annotator, and by both."""
    spoken = spoke(labels)
    by_annotator = np.bincount(labels.annotator[spoken], minlength=labels.n_annotators)
    by_task = np.bincount(labels.task[spoken], minlength=labels.n_tasks)
    return [
        *odd("silent-annotators", "annotators who said nothing", (by_annotator == 0).sum(),
             named(labels.annotators, by_annotator == 0),
             "their rows are abstentions or empty; nothing can be learnt of them, so leave them out"),
        *odd("silent-tasks", "tasks about which nobody said anything", (by_task == 0).sum(),
             named(labels.tasks, by_task == 0),
             "they will get no label; ask for answers, or give known truths with --gold"),
        *odd("annotators-with-one-answer", "annotators with a single answer", (by_annotator == 1).sum(),
             named(labels.annotators, by_annotator == 1),
             "how good they are is a guess; the default method lets them borrow from the crowd"),
        *odd("tasks-with-one-answer", "tasks with a single answer", (by_task == 1).sum(),
             named(labels.tasks, by_task == 1),
             "nobody can outvote it: trust it as far as its annotator, or ask for a second opinion"),
        *_repeats(labels),
    ]  # fmt: skip


def spoke(labels: Annotations) -> np.ndarray:
    """The answers that are no abstentions."""
    values = labels.answers.values
    said = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
    if labels.answers.starts is not None:
        lengths = np.diff(labels.answers.starts)
        answer = np.repeat(np.arange(len(lengths)), lengths)
        return np.bincount(answer, said, len(lengths)) > 0
    return np.asarray(said.any(axis=1) if said.ndim == 2 else said)


def named(names: Names, mask: np.ndarray) -> Iterator[str]:
    """The first few names where the mask is true."""
    return (repr(names[int(code)]) for code in np.flatnonzero(mask)[:SHOWN])


def _repeats(labels: Annotations) -> list[Oddity]:
    pair = labels.task * np.int64(max(labels.n_annotators, 1)) + labels.annotator
    pairs, counts = np.unique(pair, return_counts=True)
    again = pairs[counts > 1]
    examples = (
        f"task {labels.tasks[int(p // labels.n_annotators)]!r}, annotator "
        f"{labels.annotators[int(p % labels.n_annotators)]!r}"
        for p in again[:SHOWN]
    )
    return odd(
        "repeated-pairs", "annotators who answered one task more than once (pairs)", len(again), examples,
        "say which answer holds: --repeats first, --repeats last, or --repeats all to count each",
    )  # fmt: skip
