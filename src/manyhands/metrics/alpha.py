r"""Krippendorff's alpha: 1 - observed / expected disagreement, for any number of labels a unit.

Coincidences: $o_{ck} = \sum_i n_{ic} (n_{ik} - [c = k]) / (m_i - 1)$ over units with $m_i \ge 2$ labels;
$n_c = \sum_k o_{ck}$, $n = \sum_c n_c$. Then

    alpha = 1 - (n - 1) sum_ck o_ck d(c, k) / sum_ck n_c n_k d(c, k)

with d = [c != k] (nominal), (c - k)^2 (interval), or the squared distance of mid-ranks (ordinal).
Krippendorff, *Computing Krippendorff's Alpha-Reliability* (2011).
"""

from __future__ import annotations

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError, UnsupportedError
from .bootstrap import Resampling, estimate, resampling
from .figures import Figure
from .votes import Votes, collect

__all__ = ["alpha_of", "krippendorff_alpha", "values_of"]

METRICS = ("nominal", "ordinal", "interval")
USUAL = {"ordinal": "ordinal", "number": "interval"}
TINY = 1e-12  # expected disagreement below this is rounding: all labels are one value
MAX_CELLS = 1 << 25  # coincidences of all blocks, 256 MB
FEWEST_BLOCKS = 20  # however many classes


def krippendorff_alpha(
    labels: Annotations,
    metric: str | None = None,
    *,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Figure:
    """Krippendorff's alpha.

    metric: "nominal", "ordinal" or "interval"; by default nominal, or ordinal for kind="ordinal"
        and interval for kind="number". Interval distances are those of the classes where these
        are numbers, else of their places in the order (kind="ordinal" only).

    >>> krippendorff_alpha(Annotations.from_matrix([[0, 0], [1, 1], [0, 1], [1, 1]])).value
    0.5333333333333333
    """
    metric = USUAL.get(labels.kind, "nominal") if metric is None else metric
    if metric not in METRICS:
        raise ParameterError(f"metric={metric!r} must be one of {', '.join(map(repr, METRICS))}")
    if labels.kind == "number" and metric != "interval":
        raise UnsupportedError(
            f"metric={metric!r} needs classes, and kind='number' has none: use metric='interval', or read "
            f"the labels with kind='ordinal'"
        )
    values = values_of(labels) if metric == "interval" else None
    return alpha_of(collect(labels, seed), metric, values, resampling(level, n_boot, seed))


def values_of(labels: Annotations) -> np.ndarray | None:
    """[classes] the numbers that classes stand for; None where labels are numbers themselves."""
    if labels.kind == "number":
        return None
    names = labels.unit_classes.to_list()
    if all(isinstance(name, (int, float)) for name in names):
        return np.array(names, dtype=np.float64)
    if labels.kind == "ordinal":
        return np.arange(len(names), dtype=np.float64)
    raise UnsupportedError(
        f"metric='interval' needs numbers, but the classes are {names[:4]!r}: use metric='nominal', or "
        f"read the labels with kind='ordinal' to take their places in the order"
    )


def alpha_of(votes: Votes, metric: str, values: np.ndarray | None, how: Resampling) -> Figure:
    """Krippendorff's alpha, from votes."""
    name, n = f"alpha_{metric}", len(votes.size)
    if metric == "nominal":
        return estimate(name, _nominal_sums(votes), _nominal, n, how, counts_agreement=True)
    if metric == "ordinal":
        return estimate(name, _coincidences(votes), _ordinal, n, how)
    numbers = votes.label if values is None else values[votes.label]
    return estimate(name, _interval_sums(votes, numbers), _interval, n, how)


def _nominal_sums(votes: Votes) -> np.ndarray:
    """[blocks, 1 + K]: sum_c o_cc, then n_c. Nominal alpha needs no more of the coincidences."""
    agreeing = votes.over_blocks(votes.agreeing / (votes.size - 1.0))
    return np.column_stack([agreeing, votes.classes_over_blocks(np.ones(len(votes.size)))])


def _nominal(total: np.ndarray) -> np.ndarray:
    counts = total[..., 1:]
    n = counts.sum(-1)
    return _alpha(n - total[..., 0], n**2 - (counts**2).sum(-1), n, n)


def _coincidences(votes: Votes) -> np.ndarray:
    """[blocks, K * K]: o_ck. Many classes are given fewer blocks, so that memory stays bounded."""
    from scipy.sparse import csr_array

    counts, k = votes.counts.astype(np.float64), votes.n_classes
    blocks = max(1, min(votes.n_blocks, max(FEWEST_BLOCKS, MAX_CELLS // max(k * k, 1))))
    block = votes.block % blocks
    sums = np.zeros((blocks, k * k))
    weight = 1.0 / (votes.size - 1.0)
    order = np.argsort(block, kind="stable")
    ends = np.cumsum(np.bincount(block, minlength=blocks))
    for g, units in enumerate(np.split(order, ends[:-1])):
        part = counts[units]
        scaled = csr_array((part.data * np.repeat(weight[units], np.diff(part.indptr)), part.indices,
                            part.indptr), shape=part.shape)  # fmt: skip
        own = np.bincount(scaled.indices, scaled.data, k)
        sums[g] = ((part.T @ scaled).toarray() - np.diag(own)).ravel()
    return sums


def _ordinal(total: np.ndarray) -> np.ndarray:
    k = round(total.shape[-1] ** 0.5)
    pairs = total.reshape(*total.shape[:-1], k, k)
    counts = pairs.sum(-1)
    n = counts.sum(-1)
    rank = (np.cumsum(counts, axis=-1) - counts / 2) / n[..., None]
    distance = (rank[..., :, None] - rank[..., None, :]) ** 2
    observed = (pairs * distance).sum((-2, -1))
    expected = np.einsum("...c,...ck,...k->...", counts, distance, counts, optimize=True)
    return _alpha(observed, expected, n, n)


def _interval_sums(votes: Votes, numbers: np.ndarray) -> np.ndarray:
    """[blocks, 4]: sum_ck o_ck (c - k)^2, n, and the first two moments of the labels."""
    if not len(numbers):
        return np.zeros((0, 4))
    # Alpha is blind to origin and scale; sums of squares in floating point are not.
    numbers = (numbers - numbers.mean()) / np.std(numbers) if np.ptp(numbers) else np.zeros(len(numbers))
    centre = np.bincount(votes.unit, numbers) / votes.size
    spread = np.bincount(votes.unit, (numbers - centre[votes.unit]) ** 2)
    within = 2.0 * votes.size / (votes.size - 1.0) * spread
    moments = (np.bincount(votes.unit, numbers**power) for power in (0, 1, 2))
    return np.column_stack([votes.over_blocks(part) for part in (within, *moments)])


def _interval(total: np.ndarray) -> np.ndarray:
    within, n, first, second = np.moveaxis(total, -1, 0)
    return _alpha(within, 2 * (n * second - first**2), n, n * second)


def _alpha(observed: np.ndarray, expected: np.ndarray, n: np.ndarray, size: np.ndarray) -> np.ndarray:
    """1 - (n - 1) observed / expected; nan where nothing varies, so that no disagreement could be.

    size: what the expected disagreement is a difference of, and so what it is rounded to.
    """
    constant = expected <= TINY * size
    return np.where(constant, np.nan, 1 - (n - 1) * observed / np.where(constant, 1.0, expected))
