"""Annotators as a table: how much, how well, with what interval, and in what direction wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..annotations.scheme import Scheme
from .counts import hits
from .dirichlet_evidence import DirichletEvidence, check_level
from .number_annotators import number_columns

if TYPE_CHECKING:
    from ..annotations import Names
    from .evidence import Evidence
    from .result import Result

__all__ = ["AnnotatorSums", "annotator_sums", "annotator_table", "class_columns", "with_names"]

JEFFREYS = 0.5  # counts of right and wrong before any answer, for the interval alone


class AnnotatorSums(NamedTuple):
    """Of each annotator: votes, expected right ones, the variance of that; expected counts [annotators, truth, label]."""

    total: np.ndarray
    hit: np.ndarray
    doubt: np.ndarray
    counts: np.ndarray


def annotator_sums(result: Result) -> AnnotatorSums:
    """What the table is made of; sums, so those of blocks add up."""
    return AnnotatorSums(*hits(result.votes, result.chances), result.counts)


def annotator_table(result: Result, level: float) -> pl.DataFrame:
    """A row an annotator, busiest or not, in the order of the table."""
    check_level(level)
    if result.labels.kind == "number":
        columns = number_columns(result, level)
    else:
        own = class_columns(annotator_sums(result), result.classes, result.evidence, level)
        columns = own | _of_spans(result) | result.evidence.columns()
    return with_names(result.labels.annotators, columns)


def with_names(annotators: Names, columns: dict[str, np.ndarray]) -> pl.DataFrame:
    """A frame of columns, nothing known being null."""
    names = annotators.to_series("annotator")
    return pl.DataFrame([names, *(_column(name, values) for name, values in columns.items())])


def class_columns(
    sums: AnnotatorSums, classes: Names, evidence: Evidence, level: float
) -> dict[str, np.ndarray]:
    """Of annotators who gave classes."""
    from ..metrics import spammer_score

    total, hit, doubt, counts = sums
    low, high = accuracy_interval(total, hit, doubt, level)
    with np.errstate(invalid="ignore"):
        accuracy = np.where(total > 0, hit / np.maximum(total, 1e-300), np.nan)
    if isinstance(evidence, DirichletEvidence):
        accuracy = np.where(total > 0, evidence.accuracies[0], np.nan)
        low, high = evidence.accuracy_interval(level)
    over, share = _overused(counts, classes)
    return {
        "n": np.round(total).astype(np.int64),
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "spammer_score": np.where(total > 0, spammer_score(_smoothed(counts)), np.nan),
        "overuses": over,
        "bias": share,
    }


def _of_spans(result: Result) -> dict[str, np.ndarray]:
    """Of sequences whose tags are spans, how well each finds the believed ones."""
    if result.labels.kind != "tags" or Scheme.of(result.classes) is None:
        return {}
    from .span_tables import annotator_spans

    return annotator_spans(result)


def accuracy_interval(
    total: np.ndarray, hit: np.ndarray, doubt: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """A credible interval of each accuracy, from a Beta that also holds the doubt about the truths.

    Known truths would give Beta(hit + 1/2, miss + 1/2). Doubtful ones add the variance of the
    number of hits: the Beta with that mean and the sum of both variances is taken.
    """
    from scipy.stats import beta

    a, b = hit + JEFFREYS, np.maximum(total - hit, 0) + JEFFREYS
    mean, size = a / (a + b), a + b
    variance = mean * (1 - mean) / (size + 1) + doubt / size**2
    matched = np.maximum(mean * (1 - mean) / variance - 1, 2 * JEFFREYS)
    tail = (1 - level) / 2
    low, high = (beta.ppf(p, mean * matched, (1 - mean) * matched) for p in (tail, 1 - tail))
    return low, high


def _smoothed(counts: np.ndarray) -> np.ndarray:
    """Expected confusions with a vote's worth of the annotator's own habit in each row.

    A class that an annotator hardly met would else look like skill or like spam by accident.
    """
    habit = counts.sum(axis=1, keepdims=True)
    habit = (habit + 1e-9) / (habit + 1e-9).sum(axis=2, keepdims=True)
    rows = counts + habit
    return rows / rows.sum(axis=2, keepdims=True)


def _overused(counts: np.ndarray, classes: Names) -> tuple[np.ndarray, np.ndarray]:
    """The class that each annotator gives too often, and by what share of the votes."""
    counts = counts[:, :, : len(classes)]
    total = np.maximum(counts.sum(axis=(1, 2)), 1e-9)
    excess = (counts.sum(axis=1) - counts.sum(axis=2)) / total[:, None]
    if not excess.shape[1]:
        return np.full(len(counts), None), np.zeros(len(counts))
    names = np.array([*classes.to_list(), None], dtype=object)
    most, share = excess.argmax(axis=1), np.maximum(excess.max(axis=1), 0.0)
    return names[np.where(share > 1e-9, most, len(names) - 1)], share


def _column(name: str, values: np.ndarray) -> pl.Series:
    if values.dtype.kind == "O":
        return pl.Series(name, values.tolist(), strict=False)
    return pl.Series(name, values).fill_nan(None) if values.dtype.kind == "f" else pl.Series(name, values)
