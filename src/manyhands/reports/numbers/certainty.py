"""How sure the consensus is: its distribution, and what it would cost to accept it from some point on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...channels.votes import number_votes
from ...results import Result
from .histogram import Histogram, histogram

__all__ = ["Certainty", "Threshold", "certainty"]

LEVELS = (0.99, 0.95, 0.9, 0.8, 0.5)
SHARES = ("none", "weight", "signed-weight", "threshold")  # evidence of methods that add votes up


@dataclass(frozen=True)
class Threshold:
    """What a rule "accept from this confidence on" would do: how many pass, how many of them wrong."""

    level: float
    accepted: int
    share: float
    wrong: float


@dataclass(frozen=True)
class Certainty:
    """Of the units that anybody answered.

    mean: of the confidence; of numbers, of the standard deviation. None where the method has none.
    wrong: how many of the labels the method expects to be wrong, by its own account.
    is_probability: whether confidence is a posterior, or a mere share of votes.
    """

    units: int
    mean: float | None
    wrong: float | None
    is_probability: bool
    spread: Histogram
    thresholds: tuple[Threshold, ...]


def certainty(result: Result) -> Certainty:
    """Of classes: the chance of the likeliest; of numbers: the deviation of each consensus.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_matrix([[0, 0, 1, 0], [1, 1, 1, 1]])
    >>> found = certainty(MajorityVote().fit(labels).result_)
    >>> found.mean, found.wrong, found.thresholds[0].accepted
    (0.875, 0.25, 1)
    """
    if result.labels.kind == "number":
        return _of_numbers(result)
    told = np.bincount(result.votes.unit, minlength=result.labels.n_units) > 0
    sure = result.posterior.confidence()[told].astype(np.float64)  # type: ignore[union-attr]
    doubt = 1 - sure
    lowest = 1 / max(len(result.classes), 1)
    thresholds = tuple(_threshold(sure, doubt, level) for level in LEVELS if level > lowest)
    return Certainty(
        len(sure), float(sure.mean()) if len(sure) else None, float(doubt.sum()) if len(sure) else None,
        result.evidence.name not in SHARES, histogram(sure, 0.0, 1.0, 20), thresholds,
    )  # fmt: skip


def _threshold(sure: np.ndarray, doubt: np.ndarray, level: float) -> Threshold:
    # Single precision leaves .9899999 where a count says .99: half a millionth is no doubt.
    passed = sure >= level - 5e-7
    return Threshold(
        level, int(passed.sum()), float(passed.mean()) if len(sure) else 0.0, float(doubt[passed].sum())
    )


def _of_numbers(result: Result) -> Certainty:
    told = np.bincount(number_votes(result.labels).unit, minlength=result.labels.n_units) > 0
    sd = result.numbers.sd[told]
    sd = sd[np.isfinite(sd)]
    top = float(np.quantile(sd, 0.99)) * 1.05 if len(sd) else 1.0
    mean = float(sd.mean()) if len(sd) else None
    return Certainty(int(told.sum()), mean, None, True, histogram(sd, 0.0, top or 1.0, 20), ())
