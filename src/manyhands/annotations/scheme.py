"""What tags of spans mean (BIO, BIOES, BILOU, IO): which may follow which, and where the spans are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError

__all__ = ["SCHEMES", "TAG", "Scheme", "Spans", "convert", "spans_of"]

# The letters of a span's first token, of one inside, of the last, and of one alone.
LETTERS = {"BIO": "BIIB", "BIOES": "BIES", "BILOU": "BILU", "IO": "IIII"}
SCHEMES = tuple(LETTERS)
TAG = re.compile(r"O|[BIESLU]-.+", re.DOTALL)
OTHER_NAMES = {"L": "E", "U": "S"}  # BILOU's letters
OUTSIDE = -1


class Spans(NamedTuple):
    """Stretches of tokens: where each starts and ends (exclusive) in the flat run of tokens, and its type."""

    start: np.ndarray
    end: np.ndarray
    type: np.ndarray


@dataclass(frozen=True)
class Scheme:
    """The tags of a table, read as spans.

    tags: the classes in order. name: "BIO", "BIOES" or "IO".

    >>> Scheme.of(["O", "B-PER", "I-PER"]).allowed.tolist()
    [[True, True, False], [True, True, True], [True, True, True]]
    """

    tags: tuple[str, ...]
    name: str

    @classmethod
    def of(cls, tags: Iterable[Any]) -> Scheme | None:
        """The scheme that these tags are of; None where they are no spans (parts of speech, say)."""
        names = tuple(str(tag) for tag in tags)
        if not all(TAG.fullmatch(tag) for tag in names):
            return None
        letters = {_letter(tag) for tag in names}
        if letters & {"E", "S"}:
            return cls(names, "BIOES")
        return cls(names, "BIO" if "B" in letters else "IO") if "I" in letters or "B" in letters else None

    @cached_property
    def letters(self) -> np.ndarray:
        """B, I, E, S or O of every tag."""
        return np.array([_letter(tag) for tag in self.tags])

    @cached_property
    def types(self) -> list[str]:
        """What the spans may be, in order."""
        return sorted({tag[2:] for tag in self.tags if tag != "O"})

    @cached_property
    def type_codes(self) -> np.ndarray:
        """The place of every tag's type in `types`; -1 of O."""
        places = {name: code for code, name in enumerate(self.types)}
        return np.array([places.get(tag[2:], OUTSIDE) if tag != "O" else OUTSIDE for tag in self.tags])

    @cached_property
    def allowed(self) -> np.ndarray:
        """[before, after]: whether the tag may follow."""
        same = self.type_codes[:, None] == self.type_codes
        running = np.isin(self.letters, ("B", "I"))[:, None]
        ended = ~running | (self.name != "BIOES")  # in BIOES what runs must go on
        return np.where(self._goes_on, running & same, ended)

    @property
    def _goes_on(self) -> np.ndarray:
        """Whether the tag must follow one of its span; of a type that has no B- its I- may begin one."""
        begun = np.isin(self.type_codes, self.type_codes[self.letters == "B"])
        return np.isin(self.letters, ("I", "E")) & begun

    @property
    def may_start(self) -> np.ndarray:
        """Whether a sentence may start with the tag."""
        return ~self._goes_on

    @property
    def may_end(self) -> np.ndarray:
        """Whether a sentence may end with the tag."""
        return ~np.isin(self.letters, ("B", "I")) | (self.name != "BIOES")

    def spans(self, codes: np.ndarray, starts: np.ndarray) -> Spans:
        """The spans of flat tag codes (-1: outside), sentences beginning at `starts`; read as conlleval does.

        >>> Scheme.of(["O", "B-PER", "I-PER"]).spans(np.array([1, 2, 0, 2]), np.array([0, 2, 4])).end.tolist()
        [2, 4]
        """
        kinds = np.where(codes < 0, OUTSIDE, self.type_codes[codes])
        letters = np.where(codes < 0, "O", self.letters[codes])
        inside = kinds >= 0
        first = np.zeros(len(codes) + 1, dtype=bool)
        first[starts] = True
        before = np.concatenate([["O"], letters[:-1]]) if len(codes) else letters
        apart = np.isin(before, ("O", "E", "S")) | (
            np.concatenate([[OUTSIDE], kinds[:-1]])[: len(kinds)] != kinds
        )
        begins = inside & (np.isin(letters, ("B", "S")) | first[: len(codes)] | apart)
        stops = np.append(begins | ~inside | first[: len(codes)], True)
        begin, edges = np.flatnonzero(begins), np.flatnonzero(stops)
        return Spans(begin, edges[np.searchsorted(edges, begin + 1)], kinds[begin])

    def respelled(self, codes: np.ndarray, starts: np.ndarray, name: str) -> tuple[list[str], np.ndarray]:
        """The same spans in another scheme: its tags that are used, O first, and their codes; -1 stays.

        >>> Scheme.of(["O", "B-PER", "I-PER"]).respelled(np.array([1, 2, 0, 1]), np.array([0, 4]), "BIOES")
        (['O', 'B-PER', 'E-PER', 'S-PER'], array([1, 2, 0, 3]))
        """
        if name not in LETTERS:
            raise ParameterError(f"scheme={name!r} must be one of {', '.join(map(repr, SCHEMES))}")
        found = self.spans(codes, starts)
        lengths = found.end - found.start
        span = np.repeat(np.arange(len(lengths)), lengths)
        within = np.arange(len(span)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        first, last = within == 0, within == lengths[span] - 1
        place = np.select([first & last, last, first], [3, 2, 0], default=1)
        tags = ["O", *dict.fromkeys(f"{letter}-{kind}" for kind in self.types for letter in LETTERS[name])]
        codes_of = np.array(
            [[tags.index(f"{letter}-{kind}") for letter in LETTERS[name]] for kind in self.types],
            dtype=np.int64,
        ).reshape(-1, 4)
        out = np.where(codes < 0, -1, 0)
        out[found.start[span] + within] = codes_of[found.type[span], place]
        used = np.unique(np.append(out[out >= 0], 0))
        return [tags[code] for code in used], np.where(out < 0, -1, np.searchsorted(used, out))


def spans_of(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """The spans of one sentence: start, end (exclusive), type.

    >>> spans_of(["B-PER", "I-PER", "O", "S-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    scheme, codes = _coded(tags)
    if scheme is None:
        return []
    found = scheme.spans(codes, np.array([0, len(tags)]))
    return [(int(a), int(b), scheme.types[t]) for a, b, t in zip(*found, strict=True)]


def convert(tags: Sequence[str], scheme: str) -> list[str]:
    """The same spans in another scheme; IO loses the border between neighbours of one type.

    >>> convert(["B-PER", "I-PER", "O", "B-LOC"], "BIOES")
    ['B-PER', 'E-PER', 'O', 'S-LOC']
    """
    own, codes = _coded(tags)
    said, out = (own or Scheme(("O",), "IO")).respelled(codes, np.array([0, len(tags)]), scheme)
    return [said[code] for code in out]


def _coded(tags: Sequence[str]) -> tuple[Scheme | None, np.ndarray]:
    """The scheme of these tags, None where all are O, and the place of each in it."""
    names = sorted({str(tag) for tag in tags})
    scheme = Scheme.of(names)
    if scheme is None:
        _refuse(names)
    return scheme, np.array([names.index(str(tag)) for tag in tags], dtype=np.int64)


def _letter(tag: str) -> str:
    return OTHER_NAMES.get(tag[0], tag[0])


def _refuse(names: Sequence[str]) -> None:
    odd = next((tag for tag in names if not TAG.fullmatch(tag)), None)
    if odd is not None:
        raise ParameterError(f"the tag {odd!r} is of no span: tags are O, or B-, I-, E-, S- and a type")
