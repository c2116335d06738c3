"""Disputed stretches of sequences: what each annotator marked there, and what is believed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...annotations.scheme import TAG, Scheme, Spans
from ...results import Result
from ...results.disputed_spans import span_chances
from .material import Material
from .words import name_of

__all__ = ["Reading", "Span", "spans"]

MOST = 30
LOOKED_AT = 300  # tasks, those with the token in most doubt first
AROUND = 8  # tokens shown on either side
NAMED = 8


@dataclass(frozen=True)
class Reading:
    """What some annotators made of the stretch. n: how many; chance: that it is so, of its least certain part."""

    text: str
    n: int
    chance: float
    annotators: tuple[str, ...]
    more: int
    believed: bool


@dataclass(frozen=True)
class Span:
    """A stretch of tokens that was not read alike.

    before, tokens, after: the words, where they are known; start, end: its places in the task.
    believed: the consensus there; confidence: of its least certain token.
    """

    task: str
    start: int
    end: int
    before: str
    tokens: str
    after: str
    believed: str
    confidence: float
    readings: tuple[Reading, ...]

    @property
    def n(self) -> int:
        """How many read it."""
        return sum(reading.n for reading in self.readings)


def spans(result: Result, material: Material, most: int = MOST) -> tuple[Span, ...]:
    """The stretches in most doubt, one in the believed reading each; none for other kinds of label.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_dict({"s": {"ann": ["O", "B-PER", "I-PER"], "bob": ["O", "B-PER", "O"],
    ...     "cid": ["O", "B-PER", "O"]}})
    >>> found = spans(MajorityVote().fit(labels).result_, Material(texts={"s": ["so", "Ada", "said"]}))[0]
    >>> found.tokens, found.believed, [reading.text for reading in found.readings]
    ('Ada said', 'PER: Ada', ['PER: Ada', 'PER: Ada said'])
    """
    if result.labels.kind != "tags" or not result.labels.n_units:
        return ()
    entropy = result.posterior.entropy()  # type: ignore[union-attr]
    found = [
        (float(entropy[first + start : first + end].max()), code, start, end)
        for code in _doubtful_tasks(result, entropy)
        for first in (int(result.labels.unit_offsets[code]),)
        for start, end in _stretches(result, code)
    ]
    found.sort(key=lambda row: -row[0])
    return tuple(_span(result, material, code, start, end) for _, code, start, end in found[:most])


def _doubtful_tasks(result: Result, entropy: np.ndarray) -> list[int]:
    starts = result.labels.unit_offsets
    filled = np.flatnonzero(np.diff(starts) > 0)
    most = np.maximum.reduceat(entropy, starts[filled])
    order = np.argsort(-most, kind="stable")[:LOOKED_AT]
    return [int(filled[n]) for n in order if most[n] > 1e-9]


def _said(result: Result, code: int) -> tuple[np.ndarray, np.ndarray]:
    """Who answered the task, and their tags [answers, tokens]."""
    labels = result.labels
    a, b = (int(v) for v in labels.task_starts[code : code + 2])
    starts = labels.answers.starts
    assert starts is not None
    return labels.annotator[a:b], labels.answers.values[starts[a] : starts[b]].reshape(b - a, -1)


def _stretches(result: Result, code: int) -> list[tuple[int, int]]:
    """Runs of tokens around a disagreement; of BIO tags as far as anybody's span reaches."""
    _, tags = _said(result, code)
    if len(tags) < 2:
        return []
    differs = (tags != tags[:1]).any(axis=0)
    marked = differs
    outside = _outside(result)
    if outside is not None:
        marked = ((tags != outside) & (tags >= 0)).any(axis=0) | differs
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(np.int8), [0]])))
    runs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(start, end) for start, end in runs if differs[start:end].any()]


def _outside(result: Result) -> int | None:
    """The code of O, where all tags are of the form B-X, I-X, O."""
    classes = [str(name) for name in result.classes]
    return classes.index("O") if "O" in classes and all(TAG.fullmatch(name) for name in classes) else None


def _span(result: Result, material: Material, code: int, start: int, end: int) -> Span:
    labels = result.labels
    name = labels.tasks[code]
    first, last = (int(v) for v in labels.unit_offsets[code : code + 2])
    words = material.tokens(name, last - first)
    best = result.best[first + start : first + end]
    believed = _read(result, best, words and words[start:end])
    chances = result.chances[first + start : first + end]
    confidence = float(chances[np.arange(len(best)), best].min())
    before, after = ("", "") if words is None else _around(words, start, end)
    tokens = " ".join(words[start:end]) if words else f"tokens {start} to {end - 1}"
    return Span(
        name_of(name), start, end, before, tokens, after, believed, confidence,
        _readings(result, code, start, end, words, believed),
    )  # fmt: skip


def _around(words: list[str], start: int, end: int) -> tuple[str, str]:
    before, after = words[max(start - AROUND, 0) : start], words[end : end + AROUND]
    lead, trail = ("… " if start > AROUND else ""), (" …" if end + AROUND < len(words) else "")
    return lead + " ".join(before), " ".join(after) + trail


def _readings(
    result: Result, code: int, start: int, end: int, words: list[str] | None, believed: str
) -> tuple[Reading, ...]:
    who, tags = _said(result, code)
    by_text: dict[str, list[str]] = {}
    chances: dict[str, float] = {}
    for annotator, row in zip(who.tolist(), tags[:, start:end], strict=True):
        text = _read(result, row, words and words[start:end])
        chances.setdefault(text, _chance(result, code, start, row))
        by_text.setdefault(text, []).append(name_of(result.labels.annotators[annotator]))
    order = sorted(by_text.items(), key=lambda pair: -len(pair[1]))
    return tuple(
        Reading(text, len(w), chances[text], tuple(w[:NAMED]), max(len(w) - NAMED, 0), text == believed)
        for text, w in order
    )


def _chance(result: Result, code: int, start: int, tags: np.ndarray) -> float:
    """Of a reading of a stretch: of its least certain span, where it marks any; else of its least certain tag."""
    first, last = (int(v) for v in result.labels.unit_offsets[code : code + 2])
    chances, scheme = result.chances[first:last], Scheme.of(result.classes)
    found = None if scheme is None else scheme.spans(tags, np.array([0]))
    if scheme is not None and found is not None and len(found.start):
        moved = Spans(found.start + start, found.end + start, found.type)
        return float(span_chances(scheme, chances, moved, np.array([0, last - first])).min())
    told = np.flatnonzero(tags >= 0)
    return float(chances[start + told, tags[told]].min()) if len(told) else float("nan")


def _read(result: Result, codes: np.ndarray, words: list[str] | None) -> str:
    """Tags in words: entities and their tokens for BIO, else the tags one by one."""
    names = [name_of(None if code < 0 else result.classes[int(code)]) for code in codes]
    if _outside(result) is None:
        return " ".join(names)
    starts = [n for n, tag in enumerate(names) if tag[:2] != "I-" or n == 0 or names[n - 1][2:] != tag[2:]]
    parts = []
    for a, b in pairwise([*starts, len(names)]):
        if "-" in names[a]:
            what = " ".join(words[a:b]) if words else f"{b - a} token{'s' if b - a > 1 else ''}"
            parts.append(f"{names[a][2:]}: {what}")
    return "; ".join(parts) or "nothing marked"
