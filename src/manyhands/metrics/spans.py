"""How right tagged spans are: precision, recall and F1 of whole spans, as conlleval and seqeval count them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..annotations import starts_of
from ..annotations.scheme import Scheme
from ..errors import ParameterError

__all__ = ["SpanScores", "span_scores"]


class SpanScores(NamedTuple):
    """Of whole spans: a span is right where start, end and type are. accuracy: of tokens."""

    precision: float
    recall: float
    f1: float
    accuracy: float
    n_predicted: int
    n_true: int


def span_scores(predicted: Iterable[Sequence[str]], truth: Iterable[Sequence[str]]) -> SpanScores:
    """Micro-averaged over all spans. A share of nothing is 0, as in conlleval.

    predicted, truth: a list of tags for each sentence (BIO, BIOES or IO).

    >>> span_scores([["B-PER", "I-PER", "O"]], [["B-PER", "O", "B-LOC"]])
    SpanScores(precision=0.0, recall=0.0, f1=0.0, accuracy=0.3333333333333333, n_predicted=1, n_true=2)
    """
    ours, theirs = [list(row) for row in predicted], [list(row) for row in truth]
    _check_alike(ours, theirs)
    starts = starts_of(np.array([len(row) for row in theirs], dtype=np.int64))
    names = sorted({str(tag) for row in chain(ours, theirs) for tag in row} | {"O"})
    codes = {name: code for code, name in enumerate(names)}
    flat = [
        np.array([codes[str(tag)] for row in side for tag in row], dtype=np.int64) for side in (ours, theirs)
    ]
    scheme = Scheme.of(names)
    keys = [_keys(scheme, side, starts, names) for side in flat]
    right = len(np.intersect1d(keys[0], keys[1], assume_unique=True))
    precision, recall = _share(right, len(keys[0])), _share(right, len(keys[1]))
    f1 = _share(2 * right, len(keys[0]) + len(keys[1]))
    return SpanScores(
        precision, recall, f1, _share(int((flat[0] == flat[1]).sum()), len(flat[0])), *map(len, keys)
    )


def _keys(scheme: Scheme | None, codes: np.ndarray, starts: np.ndarray, names: list[str]) -> np.ndarray:
    """One number a span."""
    if scheme is None:
        if names != ["O"]:
            raise ParameterError(
                f"tags such as {names[:3]!r} are of no span: tags are O, or B-, I-, E-, S- and a type"
            )
        return np.empty(0, dtype=np.int64)
    found = scheme.spans(codes, starts)
    place: np.ndarray = (found.start * (len(codes) + 1) + found.end) * len(scheme.types) + found.type
    return place


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _check_alike(ours: list[Any], theirs: list[Any]) -> None:
    if len(ours) != len(theirs):
        raise ParameterError(
            f"{len(ours)} sentences predicted, {len(theirs)} true: give one list of tags for each"
        )
    for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if len(a) != len(b):
            raise ParameterError(f"sentence {place}: {len(a)} tags predicted, {len(b)} true")
