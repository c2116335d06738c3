"""Marked pieces of a text as one tag a token (BIO), and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...annotations.scheme import TAG
from ...annotations.scheme import spans_of as scheme_spans
from ...errors import UnsupportedError
from ..tokens import tokens_of
from .fields import Field
from .items import Empty, Said, Wanted

__all__ = ["Span", "read_spans", "said_of_spans", "spans_of", "tags_of"]

OUTSIDE = "O"
CUT = "spans that do not begin and end with a token: they take in the whole token"
OVER = "spans that overlap an earlier one: a token has one tag"


class Span(NamedTuple):
    """A piece of text, in characters; end is the place after the last."""

    start: int
    end: int
    label: str


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
    """The spans that tags stand for, in any scheme.

    >>> spans_of(["B-PER", "I-PER", "O"], [(0, 3), (4, 8), (9, 11)], "t")
    [Span(start=0, end=8, label='PER')]
    """
    if len(tags) != len(tokens):
        raise UnsupportedError(
            f"task {task!r} has {len(tags)} tags, but its text has {len(tokens)} tokens (words and single signs): "
            f"spans can be written for texts that were cut into the same tokens"
        )
    names = [OUTSIDE if tag is None else str(tag) for tag in tags]
    odd = next((name for name in names if not TAG.fullmatch(name)), None)
    if odd is not None:
        raise UnsupportedError(
            f"tag {odd!r} of task {task!r} is none of O, B-LABEL and I-LABEL (or E-, S-, L-, U-): spans are written "
            f"from such tags"
        )
    return [Span(tokens[first][0], tokens[end - 1][1], label) for first, end, label in scheme_spans(names)]


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
