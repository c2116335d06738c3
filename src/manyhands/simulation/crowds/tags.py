"""Tagged sentences: a Markov chain of BIO tags, and annotators who keep or break spans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...annotations import starts_of
from ...errors import ParameterError
from ..bio import Chain, tag_names
from ..bounds import chance, interval, whole
from ..categorical import RowDraws
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    length: tuple[int, int] = (5, 25),
    begin: float = 0.15,
    go_on: float = 0.4,
    accuracy: tuple[float, float] = (0.6, 0.95),
    spurious: tuple[float, float] = (0.0, 0.05),
    keep: float = 0.5,
) -> Tags:
    """Sentences of O, B- and I- tags over n_classes types of span; all true tags are legal.

    An annotator reads a span's type by a confusion matrix over types and "none", in which some
    tokens outside get a spurious span. Who keeps spans reads once a span, so the answer is legal
    too; who breaks them reads every token anew, with the same matrix.

    Options:
        length: the (least, most) tokens of a sentence.
        begin: the chance that a span begins where none goes on.
        go_on: the chance that a span has one more token.
        accuracy: the (low, high) chance that a span is read right.
        spurious: the (low, high) chance that a token outside is read as a span.
        keep: the share of annotators who keep spans whole.
    """
    shortest, longest = _lengths(length)
    chain = Chain.of(size.n_classes, chance("begin", begin), chance("go_on", go_on))
    types = _type_confusions(size, interval("accuracy", accuracy), interval("spurious", spurious), rng)
    confusions = _tag_confusions(types)
    keeps = rng.random(size.n_annotators) < chance("keep", keep)
    share = chain.frequencies(shortest, longest)
    return Tags(
        about=size,
        kind="tags",
        classes=tag_names(size.n_classes),
        confusions=confusions,
        accuracy=np.einsum("jkk,k->j", confusions, share),
        parameters={
            "transition": chain.transition,
            "start": chain.start,
            "keeps_spans": keeps,
            "type_confusions": types,
            "tag_shares": share,
        },
        chain=chain,
        length=(shortest, longest),
    )


@dataclass(frozen=True, kw_only=True)
class Tags(People):
    """Tags are coded O = 0, B- of type t = 1 + 2 t, I- = 2 + 2 t; types count from 1 and 0 is none."""

    chain: Chain
    length: tuple[int, int]

    @cached_property
    def _draws(self) -> RowDraws:
        return RowDraws.of(self.parameters["type_confusions"])

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Sentences of even lengths, tags by the chain."""
        lengths = rng.integers(*self.length, size, endpoint=True)
        return Tasks(self.chain.draw(lengths, rng), lengths)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """Types of spans (or of tokens) by the confusion, then tags of them."""
        assert tasks.units is not None
        lengths = tasks.units[task]
        starts = starts_of(lengths)
        here = np.arange(starts[-1])
        unit = here + np.repeat(starts_of(tasks.units)[:-1][task] - starts[:-1], lengths)
        tag = tasks.truth[unit]
        uniform = rng.random(len(tag))
        keeps = np.repeat(self.parameters["keeps_spans"][annotator], lengths)
        # One number for a whole span: all its tokens take that of its first.
        uniform = np.where(keeps, uniform[here - _into_span(tasks.truth)[unit]], uniform)
        n_types = self.parameters["type_confusions"].shape[1]
        speaker = np.repeat(annotator, lengths).astype(np.int64)
        type_ = self._draws(speaker * n_types + (tag + 1) // 2, uniform)
        inside = (tag > 0) & (tag % 2 == 0)
        return Said(np.where(type_ == 0, 0, 2 * type_ - 1 + inside))


def _into_span(tags: np.ndarray) -> np.ndarray:
    """How many tokens before this one the span began; 0 outside."""
    inside = (tags > 0) & (tags % 2 == 0)
    place = np.arange(len(tags))
    return place - np.maximum.accumulate(np.where(inside, 0, place)) if len(tags) else place


def _type_confusions(
    size: Size, accuracy: tuple[float, float], spurious: tuple[float, float], rng: np.random.Generator
) -> np.ndarray:
    """[R, types + 1, types + 1]: row 0 is no span."""
    n, width = size.n_annotators, size.n_classes + 1
    right = rng.uniform(*accuracy, n)
    wrong = rng.uniform(*spurious, n)
    table = np.zeros((n, width, width))
    table[:, 0, 0] = 1 - wrong
    table[:, 0, 1:] = (wrong / size.n_classes)[:, None]
    # Half of the errors miss the span, the other half is spread over the wrong types.
    missed = (1 - right) * (0.5 if size.n_classes > 1 else 1.0)
    other = (1 - right - missed) / max(size.n_classes - 1, 1)
    for t in range(1, width):
        table[:, t, 1:] = other[:, None]
        table[:, t, 0] = missed
        table[:, t, t] = right
    return table


def _tag_confusions(types: np.ndarray) -> np.ndarray:
    """[R, T, T]: what is read of a B- token is B- or O, of an I- token I- or O."""
    n_tags = 2 * types.shape[1] - 1
    table = np.zeros((len(types), n_tags, n_tags))
    table[:, 0, 0], table[:, 0, 1::2] = types[:, 0, 0], types[:, 0, 1:]
    table[:, 1::2, 0] = table[:, 2::2, 0] = types[:, 1:, 0]
    table[:, 1::2, 1::2] = table[:, 2::2, 2::2] = types[:, 1:, 1:]
    return table


def _lengths(length: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(length, (tuple, list)) or len(length) != 2 or length[0] > length[1]:
        raise ParameterError(f"length={length!r} must be (least, most), whole numbers of at least 1")
    return whole("least of length", length[0], 1), whole("most of length", length[1], 1)


RECIPE = Recipe("tags", "tags", "BIO-tagged sentences; annotators who keep or break spans", build)
