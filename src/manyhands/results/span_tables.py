"""Spans of sequences as tables: what is believed to be where, and how well each annotator finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..annotations import Annotations
from ..annotations.respelling import scheme_of
from ..annotations.scheme import Scheme, Spans

if TYPE_CHECKING:
    from .result import Result

__all__ = ["ToldSpans", "annotator_spans", "span_frame", "span_keys", "spans", "told_spans"]


class ToldSpans(NamedTuple):
    """What the answers mark. spans: in units; answer: whose each is."""

    spans: Spans
    answer: np.ndarray


def spans(result: Result) -> pl.DataFrame:
    """task, start, end (exclusive), type, confidence of its least certain token; in the order of the text."""
    labels, best = result.labels, result.best
    sure = result.chances[np.arange(len(best)), best] if len(best) else np.empty(0)
    return span_frame(scheme_of(labels), labels.tasks.to_series("task"), best, sure, labels.unit_offsets)


def span_frame(
    scheme: Scheme, tasks: pl.Series, best: np.ndarray, sure: np.ndarray, starts: np.ndarray
) -> pl.DataFrame:
    """The same of any tags. best, sure: the tag of every token and its chance; starts: where sentences start.

    >>> scheme, tasks = Scheme.of(["O", "B-X", "I-X"]), pl.Series("task", ["s"])
    >>> span_frame(scheme, tasks, np.array([1, 2, 0]), np.array([.9, .8, .7]), np.array([0, 3])).row(0)
    ('s', 0, 2, 'X', 0.800000011920929)
    """
    found = scheme.spans(best, starts)
    task = np.searchsorted(starts, found.start, side="right") - 1
    edges = np.ravel(np.column_stack([found.start, found.end]))
    least = np.minimum.reduceat(np.append(sure, np.inf), edges)[::2] if len(edges) else edges
    columns = {"start": found.start - starts[task], "end": found.end - starts[task]}
    return pl.DataFrame(
        [
            tasks.gather(task),
            *(pl.Series(name, values) for name, values in columns.items()),
            pl.Series("type", [scheme.types[code] for code in found.type], dtype=pl.String),
            pl.Series("confidence", least.astype(np.float32)),
        ]
    )


def told_spans(labels: Annotations) -> ToldSpans:
    """The spans of every answer."""
    answers = labels.answers
    assert answers.starts is not None
    told = scheme_of(labels).spans(answers.values, answers.starts)
    answer = np.searchsorted(answers.starts, told.start, side="right") - 1
    place = labels.unit_offsets[labels.task[answer]] - answers.starts[answer]
    return ToldSpans(Spans(told.start + place, told.end + place, told.type), answer)


def annotator_spans(result: Result) -> dict[str, np.ndarray]:
    """Precision, recall and F1 of each annotator's spans against the believed ones, on the sentences they read."""
    labels, scheme = result.labels, scheme_of(result.labels)
    told, answer = told_spans(labels)
    believed = scheme.spans(result.best, labels.unit_offsets)
    right = np.isin(span_keys(told, labels), span_keys(believed, labels))
    own = labels.annotator[answer]
    n_said = np.bincount(own, minlength=labels.n_annotators)
    n_right = np.bincount(own, right, labels.n_annotators)
    task = np.searchsorted(labels.unit_offsets, believed.start, side="right") - 1
    there = np.bincount(task, minlength=labels.n_tasks)
    n_true = np.bincount(labels.annotator, there[labels.task], labels.n_annotators)
    return {
        "span_precision": _share(n_right, n_said), "span_recall": _share(n_right, n_true),
        "span_f1": _share(2 * n_right, n_said + n_true),
    }  # fmt: skip


def span_keys(found: Spans, labels: Annotations) -> np.ndarray:
    """One number a span of units."""
    n_tags = max(len(labels.classes or ()), 1)
    key: np.ndarray = (found.start * (labels.n_units + 1) + found.end) * n_tags + found.type
    return key


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
