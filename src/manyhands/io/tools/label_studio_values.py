"""The values of Label Studio's controls, which all its exports share: choices, ratings, numbers, spans."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedError
from ..tokens import tokens_of, words_of
from .fields import Field
from .items import Empty, Said, Wanted
from .spans import read_spans, said_of_spans, spans_of

__all__ = ["KINDS", "annotator_of", "marked", "nothing_of", "said_of", "values_of"]

KINDS = frozenset({"class", "ordinal", "number", "set", "tags"})


def annotator_of(field: Field) -> str:
    """Who answered: a number, or an object with an e-mail address or an id."""
    if isinstance(field.value, dict):
        return next((field[key] for key in ("email", "username") if key in field), field["id"]).name()
    return field.name()


def said_of(values: list[Field], question: str | None) -> Said | None:
    """What the values of one control say; None for spans and for what is no label of a task."""
    if "choices" in values[0]:
        return Said([one.name() for value in values for one in value["choices"].each()], "choices", question)
    if "taxonomy" in values[0]:
        ways = [way for value in values for way in value["taxonomy"].each()]
        return Said(["/".join(step.name() for step in way.each()) for way in ways], "choices", question)
    if "rating" in values[0]:
        return Said(values[-1]["rating"].whole(), "rating", question)
    if "number" in values[0]:
        return Said(values[-1]["number"].number(), "number", question)
    return None


def marked(values: list[Field], data: dict[str, Any], question: str | None, wanted: Wanted) -> Said | None:
    """Spans of the text of a task; None where they are not of a text."""
    if not values or not all("labels" in value for value in values):
        return None
    text = _shown_text(values[0], data)
    if text is None:
        return None
    flat = [
        Field(v.origin, {**v.object(), "label": one.name()}, v.way)
        for v in values
        for one in v["labels"].each()
    ]
    return said_of_spans(read_spans(flat, text, "start", "end", "label"), text, wanted, question)


def nothing_of(data: dict[str, Any], question: str | None = None) -> Said:
    """An answer that was handed in empty."""
    texts = _texts(data)
    return Said(Empty(len(tokens_of(texts[0])) if len(texts) == 1 else 0), None, question)


def _texts(data: dict[str, Any]) -> list[str]:
    return [text for text in data.values() if isinstance(text, str)]


def _shown_text(value: Field, data: dict[str, Any]) -> str | None:
    """The text that the span is of: the one that has the span's words in that place."""
    start, end, piece = value["start"].value, value["end"].value, value["text"].value
    if not isinstance(start, int) or not isinstance(end, int):  # paths of a web page, seconds of a sound
        return None
    texts = _texts(data)
    fits = (text for text in texts if piece is None or text[start:end] == piece)
    return next(fits, texts[0] if len(texts) == 1 else None)


def values_of(label: Any, kind: str, data: dict[str, Any], task: str) -> list[tuple[str, dict[str, Any]]]:
    """The type and the value of each region that a label is written as.

    >>> values_of("cat", "class", {}, "t")
    [('choices', {'choices': ['cat']})]
    """
    if kind == "tags":
        text, places = words_of(data, task)
        spans = spans_of(label, places, task)
        return [
            ("labels", {"start": s.start, "end": s.end, "text": text[s.start : s.end], "labels": [s.label]})
            for s in spans
        ]
    if kind == "number":
        return [("number", {"number": label})]
    if kind == "ordinal" and isinstance(label, int):
        return [("rating", {"rating": label})]
    if kind == "set":
        return [("choices", {"choices": [str(one) for one in label]})] if label else []
    if kind in ("class", "ordinal"):
        return [("choices", {"choices": [str(label)]})]
    raise UnsupportedError(f"kind={kind!r} has no form in Label Studio: it has {', '.join(sorted(KINDS))}")
