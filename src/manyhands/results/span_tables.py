"""Spans of sequences as tables: what is believed to be where, and how well each annotator finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..annotations.scheme import Scheme, Spans
from ..errors import UnsupportedError
from .tables import decisions

if TYPE_CHECKING:
    from .result import Result

__all__ = ["annotator_spans", "spans"]


def spans(result: Result) -> pl.DataFrame:
    """task, start, end (exclusive), type, confidence of its least certain token; in the order of the text."""
    scheme, starts, labels = _scheme(result), result.labels.unit_offsets, result.labels
    best = decisions(result)[0]
    found = scheme.spans(best, starts[:-1][np.diff(starts) > 0])
    sure = result.chances[np.arange(len(best)), best] if len(best) else np.empty(0)
    least = np.array([sure[a:b].min() for a, b in zip(found.start, found.end, strict=True)], dtype=np.float32)
    task = np.searchsorted(starts, found.start, side="right") - 1
    columns = {"start": found.start - starts[task], "end": found.end - starts[task]}
    return pl.DataFrame(
        [
            labels.tasks.to_series("task").gather(task),
            *(pl.Series(name, values) for name, values in columns.items()),
            pl.Series("type", [scheme.types[code] for code in found.type], dtype=pl.String),
            pl.Series("confidence", least),
        ]
    )


def annotator_spans(result: Result) -> dict[str, np.ndarray]:
    """Precision, recall and F1 of each annotator's spans against the believed ones, on the sentences they read."""
    labels, scheme = result.labels, _scheme(result)
    answers, lengths = labels.answers, np.diff(labels.unit_offsets)[labels.task]
    assert answers.starts is not None
    told = scheme.spans(answers.values, answers.starts[:-1][lengths > 0])
    answer = np.searchsorted(answers.starts, told.start, side="right") - 1
    place = labels.unit_offsets[labels.task[answer]] - answers.starts[answer]
    believed = scheme.spans(decisions(result)[0], labels.unit_offsets[:-1][np.diff(labels.unit_offsets) > 0])
    sizes = (labels.n_units + 1, len(scheme.types))
    right = np.isin(_keys(told, place, sizes), _keys(believed, 0, sizes))
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


def _scheme(result: Result) -> Scheme:
    scheme = Scheme.of(result.labels.classes or ()) if result.labels.kind == "tags" else None
    if scheme is None:
        raise UnsupportedError(
            f"there are no spans in labels of kind {result.labels.kind!r} with classes {result.classes}: spans need "
            f"kind='tags' and tags such as O, B-PER, I-PER"
        )
    return scheme


def _keys(found: Spans, place: np.ndarray | int, sizes: tuple[int, int]) -> np.ndarray:
    """One number a span of units."""
    key: np.ndarray = ((found.start + place) * sizes[0] + found.end + place) * sizes[1] + found.type
    return key


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
