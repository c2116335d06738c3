"""Whom to keep, train or let go: what an annotator's answers tell, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..channels.votes import number_votes
from ..errors import ParameterError
from ..results import Result
from .information import information
from .limits import each
from .opening import result_of
from .rows import rows_of
from .sampling import posterior_draws

if TYPE_CHECKING:
    import polars as pl

__all__ = ["annotators"]

DRAWS = 200
CURABLE = 0.05  # of accuracy that a habit costs, for training to be worth it
BIASED = 0.5  # of the deviation, from which on a bias of numbers is worth a word


def annotators(
    source: Any, *, cost: Any = 1.0, drop: float = 0.25, level: float = 0.9, seed: int = 0
) -> pl.DataFrame:
    r"""A row an annotator: what an answer of theirs tells about a task, and what to do about it.

    information: nats, $I(z; l)$ with z as common as its class; *low* and *high* from draws of the
        truths and of the annotator's matrix. accuracy: the same. readable: the accuracy if each of
        their labels were read as what it most likely means: above it, they have a habit.
    advice: "drop" where they surely tell less for their cost than `drop` times what the
        middle annotator does; "train" where a habit surely costs over .05 of accuracy; "keep"
        where they surely tell enough; else "unsure": more answers would show it.

    Of numbers: the precision of an answer in place of information, and bias and sd about the
    consensus; to "train" is one whose bias is sure, and above half the sd.

    >>> from manyhands import DawidSkene, simulate
    >>> crowd = simulate("spammers", n_tasks=300, n_annotators=8, seed=1)
    >>> table = annotators(DawidSkene(right=2, wrong=1).fit(crowd.labels))
    >>> [name for name, advice in table.select("annotator", "advice").iter_rows() if advice == "drop"]
    ['a0', 'a1']
    """
    import polars as pl

    if not 0 < level < 1:
        raise ParameterError(f"level={level!r} must lie between 0 and 1, such as 0.9")
    if not 0 <= drop <= 1:
        raise ParameterError(
            f"drop={drop!r} must lie between 0 and 1: a share of what the middle annotator tells"
        )
    result = result_of(source)
    names = result.labels.annotators
    price = each("cost", cost, names, 1.0)
    judge = _of_numbers if result.labels.kind == "number" else _of_classes
    columns, told, cured = judge(result, level, np.random.default_rng(seed))
    n = np.bincount(result.labels.annotator, minlength=len(names))
    advice = _advice(told / price[:, None], cured, n, drop)
    parts = [pl.Series(name, values) for name, values in columns.items()]
    return pl.DataFrame([names.to_series("annotator"), pl.Series("n", n), *parts, pl.Series("cost", price),
                         pl.Series("advice", advice, dtype=pl.String)])  # fmt: skip


def _of_classes(
    result: Result, level: float, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Columns; the interval of the information [annotators, middle, low, high]; whether a habit is sure."""
    known = rows_of(result, "judging annotators")
    share = known.chances.mean(axis=0) if len(known.chances) else np.exp(known.log_truth)
    drawn = []
    for _, table in posterior_draws(known, DRAWS, rng):
        joint = share[:, None] * table
        right = np.einsum("jkk->j", joint[:, :, : len(share)])
        drawn.append((information(share[None], table)[0], right, joint.max(axis=1).sum(axis=1)))
    told, right, readable = (_interval(np.array(values), level) for values in zip(*drawn, strict=True))
    gap = np.array([could - did for _, did, could in drawn])
    cured = _interval(gap, level)[:, 1] > CURABLE
    columns: dict[str, np.ndarray] = {}
    for name, values in (("information", told), ("accuracy", right)):
        columns |= {name: values[:, 0], f"{name}_low": values[:, 1], f"{name}_high": values[:, 2]}
    return columns | {"readable": readable[:, 0]}, told, cured


def _of_numbers(
    result: Result, level: float, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Precisions by the chi-square of the errors about the consensus; a habit is a bias."""
    from scipy.stats import chi2

    table = result.annotators(level)
    votes, size = number_votes(result.labels), result.labels.n_annotators
    n = np.bincount(votes.annotator, minlength=size)
    bias, low, high, sd = (table[name].to_numpy().astype(float) for name in ("bias", "low", "high", "sd"))
    free, known = np.maximum(n - 1, 1), (n > 1) & (sd > 0)
    precision = np.where(known, 1 / np.where(known, sd, 1.0) ** 2, np.nan)
    tails = [chi2.ppf(p, free) / free for p in ((1 - level) / 2, (1 + level) / 2)]
    told = np.stack([precision, precision * tails[0], precision * tails[1]], axis=1)
    told = np.where(
        known[:, None], told, np.array([np.nanmedian(precision) if known.any() else 1.0, 0.0, np.inf])
    )
    with np.errstate(invalid="ignore"):
        cured = known & ((low > 0) | (high < 0)) & (np.abs(bias) > BIASED * sd)
    columns = {"precision": precision, "precision_low": told[:, 1], "precision_high": told[:, 2]}
    return columns | {"bias": bias, "sd": sd}, told, cured


def _interval(drawn: np.ndarray, level: float) -> np.ndarray:
    """Mean, low and high of draws [draws, annotators], as [annotators, 3]."""
    low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return np.stack([drawn.mean(axis=0), low, high], axis=1)


def _advice(told: np.ndarray, cured: np.ndarray, n: np.ndarray, drop: float) -> list[str]:
    middle = float(np.median(told[n > 0, 0])) if (n > 0).any() else 0.0
    least = drop * middle
    names = np.select([told[:, 2] < least, cured, told[:, 1] >= least], ["drop", "train", "keep"], "unsure")
    return names.tolist()
