"""Marked pieces of a text as one tag a token (BIO), and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...errors import UnsupportedError
from .fields import Field
from .items import Empty, Said, Wanted

__all__ = ["Span", "read_spans", "said_of_spans", "spans_of", "tags_of", "text_of", "tokens_of"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
OUTSIDE = "O"
CUT = "spans that do not begin and end with a token: they take in the whole token"
OVER = "spans that overlap an earlier one: a token has one tag"


class Span(NamedTuple):
    """A piece of text, in characters; end is the place after the last."""

    start: int
    end: int
    label: str


def tokens_of(text: str) -> list[tuple[int, int]]:
    """Where words and single signs begin and end.

    >>> tokens_of("Ann, hi")
    [(0, 3), (3, 4), (5, 7)]
    """
    return [found.span() for found in _TOKEN.finditer(text)]


def tags_of(spans: Iterable[Span], tokens: Sequence[tuple[int, int]], wanted: Wanted) -> list[str]:
    """A tag a token: B-X where a span of X begins, I-X where it goes on, O elsewhere.

    >>> tags_of([Span(0, 8, "PER")], [(0, 3), (4, 8), (9, 11)], Wanted())
    ['B-PER', 'I-PER', 'O']
    """
    tags = [OUTSIDE] * len(tokens)
    for span in sorted(spans):
        inside = [n for n, (start, end) in enumerate(tokens) if start < span.end and span.start < end]
        if not inside or tokens[inside[0]][0] != span.start or tokens[inside[-1]][1] != span.end:
            wanted.notes[CUT] += 1
        if any(tags[n] != OUTSIDE for n in inside):
            wanted.notes[OVER] += 1
            continue
        for place, n in enumerate(inside):
            tags[n] = f"{'I' if place else 'B'}-{span.label}"
    return tags


def spans_of(tags: Sequence[Any], tokens: Sequence[tuple[int, int]], task: str) -> list[Span]:
    """The spans that BIO tags stand for.

    >>> spans_of(["B-PER", "I-PER", "O"], [(0, 3), (4, 8), (9, 11)], "t")
    [Span(start=0, end=8, label='PER')]
    """
    if len(tags) != len(tokens):
        raise UnsupportedError(
            f"task {task!r} has {len(tags)} tags, but its text has {len(tokens)} tokens (words and single signs): "
            f"spans can be written for texts that were cut into the same tokens"
        )
    spans: list[Span] = []
    before: str | None = None
    for tag, (start, end) in zip(tags, tokens, strict=True):
        kind, label = _parts(tag, task)
        if kind == "I" and label is not None and before == label:
            spans[-1] = spans[-1]._replace(end=end)
        elif label is not None:
            spans.append(Span(start, end, label))
        before = label
    return spans


def _parts(tag: Any, task: str) -> tuple[str, str | None]:
    kind, _, label = (OUTSIDE if tag is None else str(tag)).partition("-")
    if kind == OUTSIDE and not label:
        return OUTSIDE, None
    if kind not in ("B", "I") or not label:
        raise UnsupportedError(
            f"tag {tag!r} of task {task!r} is none of O, B-LABEL and I-LABEL: spans are written from such tags"
        )
    return kind, label


def read_spans(entries: Iterable[Field], text: str, start: str, end: str, label: str) -> list[Span]:
    """Objects with a start, an end and a label, within the text."""
    spans = []
    for entry in entries:
        span = Span(entry[start].whole(), entry[end].whole(), entry[label].name())
        if not 0 <= span.start < span.end <= len(text):
            raise entry.fault(f"{span.start} to {span.end} is no piece of a text of {len(text)} characters")
        spans.append(span)
    return spans


def said_of_spans(spans: Sequence[Span], text: str, wanted: Wanted, question: str | None) -> Said:
    """The answer that marks these spans of a text."""
    tokens = tokens_of(text)
    if not tokens:
        return Said(None)
    return Said(tags_of(spans, tokens, wanted) if spans else Empty(len(tokens)), "tags", question)


def text_of(data: dict[str, Any], task: str) -> str:
    """The text of a task: the field `text`, or the only one that is text."""
    if isinstance(data.get("text"), str):
        return str(data["text"])
    texts = [value for value in data.values() if isinstance(value, str)]
    if len(texts) != 1:
        raise UnsupportedError(
            f"task {task!r} has {len(texts)} fields of text and none named 'text': spans can be written only where "
            f"the text of each task is known; convert from a file that has them, or give contents="
        )
    return texts[0]
