"""The annotators as columns: how much, how well with what interval, and what may be said of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...results import Result
from .scales import scales
from .standing import BIASES, STANDINGS, accuracy_standing, bias_standing
from .words import name_of

__all__ = ["AnnotatorList", "Column", "annotator_list"]


@dataclass(frozen=True)
class Column:
    """One column of figures, [annotators]; None where there is nothing to say.

    form: "count", "share", "number" or "class": how to write it. says: what it means.
    """

    key: str
    title: str
    form: str
    says: str
    values: tuple[float | int | str | None, ...]


@dataclass(frozen=True)
class AnnotatorList:
    """All annotators, in the order of the table.

    main: the key of the column that has an interval, low to high: accuracy, or bias.
    crowd: what main is compared with: the accuracy of all labels together, or no bias.
    standing: place of each in standings.
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    main: str
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    crowd: float
    standing: tuple[int, ...]
    standings: tuple[str, ...]

    def column(self, key: str) -> tuple[float | int | str | None, ...]:
        """The values of one column."""
        return next(column.values for column in self.columns if column.key == key)


TITLES = {
    "n": (
        "labels",
        "count",
        "how many labels they gave (for sequences and sets: tokens, or pairs of task and label)",
    ),
    "accuracy": (
        "accuracy",
        "share",
        "the share of their labels that are right, as far as the truth is believed",
    ),
    "spammer_score": ("tells apart", "number", "0: the label says nothing about the truth; 1: always right"),
    "overuses": (
        "says too often",
        "class",
        "the class that they give more often than it is believed to be true",
    ),
    "bias": ("too often by", "share", "the share of their labels by which they give it too often"),
    "weight": ("weight", "number", "what one of their votes counts"),
    "ability": ("ability", "number", "0 tells nothing, below 0 the contrary of the truth"),
}
OF_NUMBERS = {
    "n": TITLES["n"],
    "bias": ("bias", "number", "how far they stand above the consensus, on average"),
    "sd": ("spread", "number", "the standard deviation about their own bias"),
    "scale": (
        "scale",
        "number",
        "the slope of their numbers over the consensus: below 1, they use less of the scale",
    ),
}


def annotator_list(result: Result) -> AnnotatorList:
    """The table of `result.annotators()`, with a word on each.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 0], [0, 0, 0]])
    >>> found = annotator_list(MajorityVote().fit(labels).result_)
    >>> found.main, found.standings[found.standing[0]]
    ('accuracy', 'too few labels to say')
    """
    frame = result.annotators()
    names = tuple(name_of(name) for name in result.labels.annotators)
    low, high, n = (frame[key].to_numpy() for key in ("low", "high", "n"))
    if result.labels.kind == "number":
        frame = frame.with_columns(pl.Series("scale", scales(result)).fill_nan(None))
        standing, crowd, words, titles = bias_standing(n, low, high), 0.0, BIASES, OF_NUMBERS
    else:
        crowd, titles = _crowd(frame), TITLES
        standing, words = accuracy_standing(n, low, high, crowd), STANDINGS
    columns = tuple(
        Column(key, *titles[key], values=_plain(frame[key])) for key in titles if key in frame.columns
    )
    main = "bias" if result.labels.kind == "number" else "accuracy"
    ends = _figures(frame["low"]), _figures(frame["high"])
    return AnnotatorList(names, columns, main, *ends, crowd, tuple(standing.tolist()), words)


def _crowd(frame: pl.DataFrame) -> float:
    """The accuracy of all labels together."""
    said = frame.filter(pl.col("n") > 0)
    total = float(said["n"].to_numpy().sum())
    return float(np.dot(said["accuracy"].to_numpy(), said["n"].to_numpy())) / total if total else float("nan")


def _figures(series: pl.Series) -> tuple[float | None, ...]:
    return tuple(
        round(v, 4) if math.isfinite(v) else None for v in series.to_numpy().astype(np.float64).tolist()
    )


def _plain(series: pl.Series) -> tuple[float | int | str | None, ...]:
    if series.dtype.is_float():
        return _figures(series)
    if series.dtype.is_integer() and series.name == "n":
        return tuple(series.to_list())
    return tuple(None if value is None else name_of(value) for value in series.to_list())
