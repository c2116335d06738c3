"""What one vote says where confusion matrices are beliefs: their means, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ..channels.votes import Votes
from ..errors import ParameterError
from .evidence import TableEvidence
from .posterior import ClassPosterior

__all__ = ["DirichletEvidence", "Interval", "check_level", "interval"]


class Interval(NamedTuple):
    """The ends of credible intervals."""

    low: np.ndarray
    high: np.ndarray


def check_level(level: float) -> float:
    """A level of confidence, strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} must lie between 0 and 1, such as 0.95")
    return level


def interval(mean: np.ndarray, variance: np.ndarray, level: float) -> Interval:
    """Of chances with these moments, by the Beta distributions that have them.

    >>> interval(np.array([0.5]), np.array([1 / 12]), 0.9).low.round(3).tolist()
    [0.05]
    """
    from scipy.stats import beta

    certain = variance <= 1e-12
    size = np.maximum(mean * (1 - mean) / np.where(certain, 1.0, variance) - 1, 1e-6)
    tails = ((1 - level) / 2, (1 + level) / 2)
    ends = (beta.ppf(p, np.maximum(mean * size, 1e-9), np.maximum((1 - mean) * size, 1e-9)) for p in tails)
    return Interval(*(np.where(certain, mean, end) for end in ends))


@dataclass(frozen=True, eq=False)
class DirichletEvidence:
    """Beliefs about annotators and classes. `log_rows` and `log_truth`, expected logarithms, judge truths.

    confusions: [3, annotators, labels, classes], accuracies: [3, annotators], classes: [3, classes]:
        the point estimate (variational), and the mean and variance behind the intervals (sampled).
    """

    name: ClassVar[str] = "dirichlet"
    log_rows: np.ndarray
    log_truth: np.ndarray
    confusions: np.ndarray
    accuracies: np.ndarray
    classes: np.ndarray

    @cached_property
    def table(self) -> TableEvidence:
        """The point estimates as a table of log chances."""
        return TableEvidence(np.log(self.confusions[0]), self.log_truth)

    def adapt(self, codes: np.ndarray, votes: Votes) -> DirichletEvidence:
        """Rows of the table; of the unseen as much is known as of anyone drawn from this crowd."""
        judging = TableEvidence(self.log_rows, self.log_truth).adapt(codes, votes)
        confusions, accuracies = (
            np.concatenate([part, _anyone(part)], axis=1)[:, codes]
            for part in (self.confusions, self.accuracies)
        )
        return replace(self, log_rows=judging.log_rows, confusions=confusions, accuracies=accuracies)

    def infer(self, votes: Votes) -> ClassPosterior:
        """One E-step."""
        return TableEvidence(self.log_rows, self.log_truth).infer(votes)

    def of_vote(self, unit: int, annotator: int, label: int, n_classes: int) -> np.ndarray:
        """The row that judges."""
        return self.log_rows[annotator, label]

    def columns(self) -> dict[str, np.ndarray]:
        """None beyond the accuracies, which the table of annotators has."""
        return {}

    def confusion(self, annotator: int) -> np.ndarray:
        """Mean T[k, l] of one annotator."""
        return self.confusions[0, annotator].T

    def confusion_interval(self, annotator: int, level: float) -> Interval:
        """Of T[k, l] of one annotator."""
        _, mean, variance = self.confusions[:, annotator].transpose(0, 2, 1)
        return interval(mean, variance, level)

    def class_interval(self, level: float) -> Interval:
        """Of the classes' shares."""
        return interval(self.classes[1], self.classes[2], level)

    def accuracy_interval(self, level: float) -> Interval:
        """Of all annotators' accuracies."""
        return interval(self.accuracies[1], self.accuracies[2], level)


def _anyone(parts: np.ndarray) -> np.ndarray:
    """Point, mean and variance of one drawn from all, by the law of total variance; [3, 1, ...]."""
    if not parts.shape[1]:
        return np.zeros((3, 1, *parts.shape[2:]))
    mean = parts.mean(axis=1, keepdims=True)
    mean[2] += parts[1].var(axis=0)
    return mean
