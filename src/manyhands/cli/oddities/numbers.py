"""Numbers far from all others, and annotators who give one number or run against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .counts import named
from .oddity import SHOWN, Oddity, odd

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["odd_numbers"]

LEAST = 5
FAR = 10.0  # quartile distances beyond the quartiles
NEAR = 3.0  # the same, to which numbers are pulled before people are judged by them


def odd_numbers(labels: Annotations) -> list[Oddity]:
    """Only of labels that are numbers."""
    spoken = np.flatnonzero(~np.isnan(labels.answers.values)) if labels.kind == "number" else np.empty(0, int)
    if not len(spoken):
        return []
    value, task, annotator = (a[spoken] for a in (labels.answers.values, labels.task, labels.annotator))
    low, high = np.quantile(value, [0.25, 0.75])
    far = np.flatnonzero((value < low - FAR * (high - low)) | (value > high + FAR * (high - low)))
    far = far if high > low else far[:0]
    examples = (
        f"{value[i]:g} by {labels.annotators[int(annotator[i])]!r} on {labels.tasks[int(task[i])]!r}"
        for i in far[:SHOWN]
    )
    near = np.clip(value, low - NEAR * (high - low), high + NEAR * (high - low)) if high > low else value
    constant, against = _habits(task, annotator, near, labels.n_tasks, labels.n_annotators)
    return [
        *odd("far-numbers", f"numbers far outside the middle half, {low:g} to {high:g}", len(far), examples,
             "look for slips of the decimal point; --method median does not mind them"),
        *odd("one-answer-annotators", "annotators who always give one number", constant.sum(),
             named(labels.annotators, constant), "leave them out, or let precision-weighted weigh them down"),
        *odd("against-the-rest", "annotators whose numbers fall where those of the rest rise", against.sum(),
             named(labels.annotators, against),
             "they may have the scale the wrong way round: ask them, turn it round or leave them out"),
    ]  # fmt: skip


def _habits(
    task: np.ndarray, annotator: np.ndarray, value: np.ndarray, n_tasks: int, n_annotators: int
) -> tuple[np.ndarray, np.ndarray]:
    """[annotators] who never vary; who correlate with the mean of the rest below nought for sure."""
    size, total = np.bincount(task, minlength=n_tasks), np.bincount(task, value, n_tasks)
    shared = np.flatnonzero(size[task] > 1)
    task, annotator, value = task[shared], annotator[shared], value[shared]
    rest = (total[task] - value) / (size[task] - 1)
    n = np.bincount(annotator, minlength=n_annotators)
    x, y = (_centred(column, annotator, n) for column in (value, rest))
    xx, yy, xy = (np.bincount(annotator, product, n_annotators) for product in (x * x, y * y, x * y))
    scale = float(np.var(value)) if len(value) else 1.0
    flat = xx <= 1e-12 * scale * np.maximum(n, 1)
    r = np.divide(xy, np.sqrt(xx * yy), out=np.zeros(n_annotators), where=~flat & (yy > 0))
    # Fisher's z, three deviations below nought.
    surely = np.arctanh(np.clip(r, -0.999, 0.999)) * np.sqrt(np.maximum(n - 3, 0)) < -3
    return (n >= LEAST) & flat, (n >= LEAST) & surely


def _centred(column: np.ndarray, annotator: np.ndarray, n: np.ndarray) -> np.ndarray:
    centred: np.ndarray = column - (np.bincount(annotator, column, len(n)) / np.maximum(n, 1))[annotator]
    return centred
