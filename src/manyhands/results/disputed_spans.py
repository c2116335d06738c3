"""Spans that some annotators marked and others, who read the same words, did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..annotations import Annotations
from ..annotations.ragged import segment_index
from ..annotations.respelling import scheme_of
from ..annotations.scheme import Scheme, Spans
from .span_tables import span_keys, told_spans

if TYPE_CHECKING:
    from .result import Result

__all__ = ["disputed_spans", "span_chances"]


class Readers(NamedTuple):
    """Who read which span: a row a pair. gave: whether they marked it."""

    span: np.ndarray
    annotator: np.ndarray
    gave: np.ndarray


def disputed_spans(result: Result) -> pl.DataFrame:
    """A row a span; see `Result.disputed_spans`."""
    labels = result.labels
    scheme, (told, answer) = scheme_of(labels), told_spans(labels)
    _, first, which = np.unique(span_keys(told, labels), return_index=True, return_inverse=True)
    found = Spans(*(part[first] for part in told))
    readers = _readers(labels, found, which, answer)
    n_gave, n_read = (np.bincount(readers.span, w, len(first)).astype(np.int64) for w in (readers.gave, None))
    chance = span_chances(scheme, result.chances, found, labels.unit_offsets)
    believed = np.isin(
        span_keys(found, labels), span_keys(scheme.spans(result.best, labels.unit_offsets), labels)
    )
    task = np.searchsorted(labels.unit_offsets, found.start, side="right") - 1
    where = labels.unit_offsets[task] if len(task) else task
    order = np.lexsort((np.arange(len(first)), np.abs(chance - 0.5), -n_gave * (n_read - n_gave)))
    order = order[n_gave[order] < n_read[order]]
    columns = {
        "start": found.start - where, "end": found.end - where,
        "type": np.array([scheme.types[code] for code in found.type], dtype=object),
        "n_gave": n_gave, "n_read": n_read, "chance": chance.astype(np.float32), "believed": believed,
    }  # fmt: skip
    return pl.DataFrame(
        [
            labels.tasks.to_series("task").gather(task[order]),
            *(_column(name, values[order]) for name, values in columns.items()),
            *(_who(labels, readers, order, name) for name in ("gave", "others")),
        ]
    )


def span_chances(scheme: Scheme, chances: np.ndarray, found: Spans, starts: np.ndarray) -> np.ndarray:
    """The chance of the least certain of: it begins here, it goes on to its last token, it ends there.

    >>> scheme = Scheme.of(["O", "B-X", "I-X"])
    >>> chances = np.array([[.1, .9, 0], [.3, 0, .7]])
    >>> span_chances(scheme, chances, Spans(np.array([0, 0]), np.array([1, 2]), np.array([0, 0])), np.array([0, 2]))
    array([0.3, 0.7])
    """
    begins, goes_on, bare = _letters(scheme)
    first, inside = chances @ begins.T, chances @ goes_on.T  # [units, types]
    lengths = found.end - found.start
    edges, span = np.cumsum(lengths) - lengths, np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(span)) - edges[span]
    unit, kind = found.start[span] + within, found.type[span]
    said = np.where(within == 0, first[unit, kind], inside[unit, kind])
    least = np.minimum.reduceat(said, edges) if len(edges) else said
    is_edge = np.zeros(len(chances) + 1, dtype=bool)
    is_edge[starts] = True
    after = np.where(is_edge[found.end], 0, inside[np.minimum(found.end, len(chances) - 1), found.type])
    joined = bare[found.type] & ~is_edge[found.start]
    before = np.where(joined, inside[np.maximum(found.start - 1, 0), found.type], 0)
    chance: np.ndarray = np.minimum(least, 1 - np.maximum(after, before))
    return chance


def _letters(scheme: Scheme) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[types, tags]: which tags begin a span of the type, which go on with it; and which types have none that begin."""
    own = np.arange(len(scheme.types))[:, None] == scheme.type_codes
    begins, goes_on = (own & np.isin(scheme.letters, letters) for letters in (("B", "S"), ("I", "E")))
    bare = ~begins.any(axis=1)
    return np.where(bare[:, None], own, begins), goes_on, bare


def _readers(labels: Annotations, found: Spans, which: np.ndarray, answer: np.ndarray) -> Readers:
    """Everybody whose answer has a tag for every token of the span."""
    task = np.searchsorted(labels.unit_offsets, found.start, side="right") - 1
    said, edges = segment_index(labels.task_starts, task)
    span = np.repeat(np.arange(len(task)), np.diff(edges))
    assert labels.answers.starts is not None
    silent = np.append(0, np.cumsum(labels.answers.values < 0))
    place = labels.answers.starts[said] - labels.unit_offsets[labels.task[said]]
    read = silent[found.end[span] + place] == silent[found.start[span] + place]
    span, said = span[read], said[read]
    gave = np.isin(span * labels.n_answers + said, which * labels.n_answers + answer)
    return Readers(span, labels.annotator[said], gave)


def _who(labels: Annotations, readers: Readers, order: np.ndarray, name: str) -> pl.Series:
    """The names of those who marked each span, or of the others who read it."""
    chosen = readers.gave if name == "gave" else ~readers.gave
    names = labels.annotators.to_series("who").gather(readers.annotator[chosen])
    lists = pl.DataFrame({"span": readers.span[chosen], name: names}).group_by("span").agg(name)
    wanted = pl.DataFrame({"span": order})
    return wanted.join(lists, on="span", how="left", maintain_order="left").get_column(name)


def _column(name: str, values: np.ndarray) -> pl.Series:
    return (
        pl.Series(name, values.tolist(), dtype=pl.String)
        if values.dtype == object
        else pl.Series(name, values)
    )
