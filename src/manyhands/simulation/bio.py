"""Legal sequences of BIO tags, from a Markov chain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..annotations import Names, starts_of
from .categorical import RowDraws

__all__ = ["Chain", "tag_names"]

TYPES = ("PER", "LOC", "ORG", "MISC")


def tag_names(n_types: int) -> Names:
    """O, then B- and I- of each type.

    >>> tag_names(2).to_list()
    ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC']
    """
    types = [*TYPES, *(f"T{t}" for t in range(len(TYPES), n_types))][:n_types]
    return Names(["O", *(f"{side}-{type_}" for type_ in types for side in "BI")])


class Chain(NamedTuple):
    """A chain over O = 0, B- of type t = 1 + 2 t, I- = 2 + 2 t."""

    start: np.ndarray  # [T]
    transition: np.ndarray  # [T, T]

    @classmethod
    def of(cls, n_types: int, begin: float, go_on: float) -> Chain:
        """Spans begin with a chance and go on with a chance; types are equally common.

        >>> Chain.of(1, 0.2, 0.5).transition.tolist()
        [[0.8, 0.2, 0.0], [0.4, 0.1, 0.5], [0.4, 0.1, 0.5]]
        """
        start = np.zeros(2 * n_types + 1)
        start[0], start[1::2] = 1 - begin, begin / n_types
        transition = np.tile(start, (len(start), 1))
        transition[1:] *= 1 - go_on
        inside = np.arange(2, len(start), 2)
        transition[inside - 1, inside] = transition[inside, inside] = go_on
        return cls(start, transition)

    def draw(self, lengths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The tags of sentences of these lengths, one after another."""
        starts = starts_of(lengths)
        tags = np.zeros(starts[-1], dtype=np.int32)
        row = RowDraws.of(np.vstack([self.transition, self.start]))
        before = np.full(len(lengths), len(self.start))  # the extra row: a start
        for place in range(int(lengths.max(initial=0))):
            running = np.flatnonzero(lengths > place)
            before[running] = row(before[running], rng.random(len(running)))
            tags[starts[running] + place] = before[running]
        return tags

    def frequencies(self, shortest: int, longest: int) -> np.ndarray:
        """[T] the expected share of each tag, lengths being even from shortest to longest."""
        now, total = self.start, np.zeros(len(self.start))
        for place in range(longest):
            reached = (longest - max(shortest - 1, place)) / (longest - shortest + 1)
            total += reached * now
            now = now @ self.transition
        shares: np.ndarray = total / total.sum()
        return shares
