"""Words and their codes: those to learn, and those whose vectors are known and kept as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..annotations import starts_of
from ..errors import LabelError, ParameterError
from ..processes import gathered

__all__ = ["UNKNOWN", "Vocabulary", "vectors_of"]

UNKNOWN = ""  # no word: what was never seen


class Vocabulary:
    """words: those met in training, after the one for all that is unknown; then those with vectors alone.

    >>> known = Vocabulary([UNKNOWN, "ada", "said"], 3)
    >>> known.codes([["Ada", "wrote"]])[0].tolist()
    [1, 0]
    """

    def __init__(self, words: Sequence[str], n_learnt: int, lowercase: bool = True):
        self.words, self.n_learnt, self.lowercase = list(words), n_learnt, lowercase
        self._places = {word: code for code, word in enumerate(self.words)}

    @classmethod
    def of(
        cls, sentences: Any, more: Iterable[str] = (), lowercase: bool = True, in_all: bool = False
    ) -> Vocabulary:
        """The words of these sentences, in order, and more that have vectors; in_all: of those of all processes."""
        seen = {_form(word, lowercase) for word in chain.from_iterable(checked(sentences))}
        if in_all:
            seen = set().union(*gathered(seen))
        learnt = [UNKNOWN, *sorted(seen)]
        return cls(
            [*learnt, *(word for word in more if word not in seen and word != UNKNOWN)],
            len(learnt),
            lowercase,
        )

    def codes(self, sentences: Any) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all words in one run, and where each sentence starts."""
        rows = checked(sentences)
        starts = starts_of(np.array([len(row) for row in rows], dtype=np.int64))
        flat = (self._places.get(_form(word, self.lowercase), 0) for row in rows for word in row)
        return np.fromiter(flat, dtype=np.int64, count=int(starts[-1])), starts


def checked(sentences: Any) -> list[Sequence[Any]]:
    """Sentences as lists of words; a text is not one."""
    rows = list(sentences)
    for place, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__"):
            raise LabelError(
                f"sentence {place} is {row!r}, not a list of words: split it as its annotators saw it, one word a tag"
            )
    return rows


def vectors_of(given: Any) -> tuple[list[str], np.ndarray]:
    """Words and a row of numbers for each: from a mapping, or a pair (words, matrix)."""
    words, matrix = (list(given), list(given.values())) if isinstance(given, Mapping) else given
    rows = np.asarray(matrix, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != len(words):
        raise ParameterError(
            f"vectors: {len(words)} words and a matrix of shape {rows.shape}: give one row a word"
        )
    if not np.isfinite(rows).all():
        raise ParameterError(
            f"vectors: NaN or infinity in the row of {words[int(np.argmin(np.isfinite(rows).all(1)))]!r}"
        )
    return [str(word) for word in words], rows


def _form(word: Any, lowercase: bool) -> str:
    return str(word).lower() if lowercase else str(word)
