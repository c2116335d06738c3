"""Cohen's kappa of two annotators, and its mean over all pairs that share enough units."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError
from .bootstrap import Resampling, estimate, resampling
from .figures import Figure
from .pairs import Meetings, checked_share, mean_over_pairs, meetings
from .votes import Votes, collect, refuse_numbers

__all__ = ["MIN_SHARED", "cohen_kappa", "mean_cohen_kappa", "mean_kappa_of"]

MIN_SHARED = 5  # kappa of fewer units is mostly undefined, or far from what it estimates


def cohen_kappa(
    labels: Annotations,
    a: Hashable,
    b: Hashable,
    *,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Figure:
    """Cohen's kappa of two annotators, by name, over the units that both labelled.

    `n` is the number of these units. Repeated answers count each time.

    >>> labels = Annotations.from_matrix([[0, 0], [1, 1], [0, 1], [1, 1]], annotators=["ann", "bob"])
    >>> cohen_kappa(labels, "ann", "bob").value
    0.5
    """
    refuse_numbers(labels, "cohen_kappa")
    how = resampling(level, n_boot, seed)
    if a == b:
        raise ParameterError(f"a and b are the same annotator, {a!r}: name two")
    chosen = np.zeros(max(labels.n_annotators, 1), dtype=bool)
    chosen[[_place(labels, a), _place(labels, b)]] = True
    votes = collect(labels, seed).by(chosen)
    met = meetings(votes, 1)
    k = votes.n_classes
    columns = np.zeros((votes.n_blocks, 1 + 2 * k))
    columns[:, 0] = np.bincount(met.block, met.a == met.b, votes.n_blocks)
    for start, label in ((1, met.a), (1 + k, met.b)):
        cells = np.bincount(met.block * np.int64(k) + label, minlength=votes.n_blocks * k)
        columns[:, start : start + k] = cells.reshape(votes.n_blocks, k)
    shared = columns[:, 1:].sum(axis=1) > 0
    return estimate("cohen_kappa", columns[shared], _kappa, len(met.pair), how, counts_agreement=True)


def mean_cohen_kappa(
    labels: Annotations,
    *,
    min_shared: int = MIN_SHARED,
    level: float = 0.95,
    n_boot: int = 1000,
    seed: int = 0,
) -> Figure:
    """The mean of Cohen's kappa over pairs of annotators, weighted by the units that they share.

    `n` is the number of pairs: those that share at least `min_shared` units and whose kappa is
    defined. On very large crowds they are the pairs among annotators drawn at random; the note
    says how many.

    >>> labels = Annotations.from_matrix([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    >>> mean_cohen_kappa(labels, min_shared=4).value
    0.3333333333333333
    """
    refuse_numbers(labels, "mean_cohen_kappa")
    checked_share(min_shared)
    return mean_kappa_of(collect(labels, seed), min_shared, resampling(level, n_boot, seed))


def mean_kappa_of(votes: Votes, min_shared: int, how: Resampling) -> Figure:
    """The mean of Cohen's kappa, from votes."""
    return mean_over_pairs("cohen_kappa", votes, min_shared, lambda met: _pairwise(met, votes.n_classes), how)


def _place(labels: Annotations, name: Hashable) -> int:
    if name not in labels.annotators:
        raise ParameterError(f"annotator {name!r} is not in the table; see labels.annotators for its names")
    return labels.annotators.position(name)


def _kappa(total: np.ndarray) -> np.ndarray:
    k = (total.shape[-1] - 1) // 2
    rows, columns = total[..., 1 : 1 + k], total[..., 1 + k :]
    return _kappa_of(total[..., 0], rows.sum(-1), (rows * columns).sum(-1))


def _kappa_of(agreed: np.ndarray, n: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """From counts: agreements, units, and sum_k r_k c_k, whose share of n^2 is chance agreement."""
    span = n**2 - chance
    constant = span <= 0
    return np.where(constant, np.nan, (agreed * n - chance) / np.where(constant, 1.0, span))


def _pairwise(met: Meetings, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The kappa of each pair, and what each meeting adds to n kappa = F(n, t, s), to first order.

    t agreements; s = sum_k r_k c_k with margins r and c. F is homogeneous (s counts double), so
    the contributions F_n + F_t [a = b] + F_s (c[a] + r[b]) of a pair add up to F itself.
    """
    from scipy.sparse import csr_array

    shape = (met.n_pairs, max(k, 1))
    ones = np.ones(len(met.pair))
    rows = csr_array((ones, (met.pair, met.a.astype(np.int64))), shape=shape)
    columns = csr_array((ones, (met.pair, met.b.astype(np.int64))), shape=shape)
    n = np.bincount(met.pair, minlength=met.n_pairs).astype(np.float64)
    t = np.bincount(met.pair, met.a == met.b, met.n_pairs)
    s = np.asarray((rows * columns).sum(axis=1))
    kappa = _kappa_of(t, n, s)
    span = np.where(n**2 > s, n**2 - s, 1.0)
    top = t * n**2 - s * n
    by_n, by_t, by_s = (2 * t * n - s) / span - 2 * n * top / span**2, n**2 / span, top / span**2 - n / span
    margins = _at(columns, met.pair, met.a) + _at(rows, met.pair, met.b)
    return kappa, by_n[met.pair] + by_t[met.pair] * (met.a == met.b) + by_s[met.pair] * margins


def _at(matrix, row: np.ndarray, column: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The entries at (row, column) of a sparse matrix."""
    if not len(row):
        return np.zeros(0)
    return np.asarray(matrix[row, column.astype(np.int64)]).ravel()
