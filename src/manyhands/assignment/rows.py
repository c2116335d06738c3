"""What is believed of the annotators' rows p(label | truth), with how sure that is: counts of Dirichlets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..channels.votes import Votes
from ..errors import UnsupportedError
from ..results import Result
from ..results.counts import expected_counts
from .answers import TableAnswers
from .implied import probabilistic
from .opening import open_up

__all__ = ["Rows", "rows_of"]

LEAST = 1e-6  # of a count


@dataclass(frozen=True, eq=False)
class Rows:
    """votes: those behind it. chances: of their units. prior: counts before any vote,
    [annotators, classes, labels]. log_truth: of the classes.

    The fitted row is p, its expected counts n: prior + n = p (c + |n|), where c is what the method borrows
    (`right + wrong + shared`, at least 1). Of Dawid-Skene that is its own prior to the letter.
    """

    votes: Votes
    chances: np.ndarray
    prior: np.ndarray
    log_truth: np.ndarray
    borrowed: float

    def counts(self, chances: np.ndarray) -> np.ndarray:
        """With votes on units that are believed so."""
        return self.prior + expected_counts(self.votes, chances)


def rows_of(result: Result, what: str) -> Rows:
    """Of a result on tasks of one class each; `what` is refused of others."""
    if result.labels.kind not in ("class", "ordinal", "soft"):
        raise UnsupportedError(f"{what}: not for labels of kind {result.labels.kind!r} yet")
    result = probabilistic(result, always=True)
    beliefs: Any = open_up(result).beliefs
    assert isinstance(beliefs.answers, TableAnswers)
    votes, settings = result.votes, result.settings
    counts = expected_counts(votes, beliefs.chances)
    borrowed = max(1.0, sum(float(settings.get(k) or 0) for k in ("right", "wrong", "shared")))
    whole = beliefs.answers.table * (counts.sum(axis=2, keepdims=True) + borrowed)
    return Rows(votes, beliefs.chances, np.maximum(whole - counts, LEAST), _log_truth(result), borrowed)


def _log_truth(result: Result) -> np.ndarray:
    """Of the classes, as the method has it; of a network's result the mean over its tasks."""
    evidence: Any = result.evidence
    log_truth = np.asarray(evidence.log_truth, dtype=np.float64)
    chances = np.exp(log_truth) if log_truth.ndim == 1 else np.exp(log_truth).mean(axis=0)
    return np.log(np.maximum(chances, 1e-300) / chances.sum())
