"""Pairs of annotators who agree more than what each knows of the truth explains: copying, one person twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import ParameterError, UnsupportedError
from .false_alarms import q_values
from .lifts import Agreement, agreement_of, meetings_of

if TYPE_CHECKING:
    from .result import Result

__all__ = ["KINDS", "copying_table"]

KINDS = ("class", "ordinal", "set")  # tokens of one sequence err together: a pair of them is no second sign
TRIFLE = 0.05  # copying up to here is not looked for: no model of the tasks is as exact as that
MOST = 0.999
HALVINGS = 14


def copying_table(result: Result, level: float, min_shared: int, seed: int) -> pl.DataFrame:
    """The table of `Result.copying`."""
    from scipy.stats import norm

    if result.labels.kind not in KINDS:
        raise UnsupportedError(
            f"copying is looked for among labels of kind {', '.join(KINDS)}, not {result.labels.kind!r}"
        )
    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} must lie between 0 and 1, such as 0.95")
    votes, met = result.votes, meetings_of(result.votes, min_shared, seed)
    found = agreement_of(result, votes, met)
    copied, usual = _shares(found)
    sure = _deviations(found, copied, np.maximum(usual, TRIFLE)) / _spread(found, usual)
    low, high = _interval(found, copied, level)
    names = result.labels.annotators.to_series("annotator")
    table = pl.DataFrame(
        [
            names.gather(met.one).alias("one"), names.gather(met.two).alias("two"),
            pl.Series("shared", found.shared), pl.Series("same", found.same), pl.Series("expected", found.expected),
            pl.Series("copied", copied), pl.Series("low", low), pl.Series("high", high),
            pl.Series("q", q_values(norm.sf(sure))),
        ]
    )  # fmt: skip
    return table[np.argsort(-sure, kind="stable")]


def _shares(found: Agreement) -> tuple[np.ndarray, float]:
    """The likeliest share of copies of each pair, and that of most pairs.

    Tasks that are hard for all make all agree a little too often. The median over pairs, weighed by
    what each could tell, is what copying stands out from.
    """
    copied = _crossing(lambda share: found.slope(share) > 0, np.zeros(len(found.shared)), MOST)
    order = np.argsort(copied)
    total = np.cumsum(found.tells[order])
    usual = float(copied[order][np.searchsorted(total, total[-1] / 2)]) if len(total) else 0.0
    return copied, usual


def _deviations(found: Agreement, copied: np.ndarray, usual: float | np.ndarray) -> np.ndarray:
    """How many standard deviations each pair stands above the usual: the signed root of the likelihood ratio."""
    beyond = found.gain(copied) - found.gain(np.full(len(copied), usual))
    return np.asarray(np.sign(copied - usual) * np.sqrt(np.maximum(2 * beyond, 0.0)))


def _spread(found: Agreement, usual: float) -> float:
    """By how much pairs differ more than chance makes them, seen from those below the usual: nobody copies there."""
    apart = found.shared - found.expected
    variance = (1 - usual) * (usual * apart + (1 - usual) * found.variance)
    z = (found.same - found.expected - usual * apart) / np.maximum(np.sqrt(variance), 0.5)
    below = z[z < 0]
    return max(1.0, float(np.sqrt(np.mean(below**2)))) if len(below) else 1.0


def _interval(found: Agreement, copied: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the log-likelihood falls by half a quantile of chi squared, on either side of the best."""
    from scipy.stats import chi2

    least = found.gain(copied) - chi2.ppf(level, 1) / 2
    low = _crossing(lambda share: found.gain(share) < least, np.zeros(len(copied)), copied)
    high = _crossing(lambda share: found.gain(share) > least, copied, MOST)
    return low, high


def _crossing(
    before: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: float | np.ndarray
) -> np.ndarray:
    """[pairs] the share up to which `before` holds, by halving; the ends are exact."""
    end = np.broadcast_to(high, low.shape)
    throughout, high = before(end), end
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        up = before(middle)
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.where(throughout, end, np.where(low > 0, (low + high) / 2, 0.0))
