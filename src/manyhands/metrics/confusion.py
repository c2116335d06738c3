"""Annotators against a truth, and confusion matrices against each other.

Symbols: j annotator, k truth, l label; confusions are [..., k, l].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError, UnsupportedError

__all__ = ["annotator_accuracy", "annotator_confusions", "js_divergence", "spammer_score"]

CLIP = 1e-7  # as the published evaluation of groups of annotators (CMM) has it


def annotator_confusions(labels: Annotations, truth: Any = None) -> np.ndarray:
    """[annotators, K, K] how often annotator j said l where the truth is k.

    truth: one code a unit, -1 where unknown; by default the truth that the table holds.

    >>> labels = Annotations.from_matrix([[0, 1], [1, 1]])
    >>> annotator_confusions(labels, [0, 1])[1].tolist()
    [[0, 1], [0, 1]]
    """
    k = labels.n_classes
    annotator, true, said = _judged(labels, truth)
    cells = (annotator.astype(np.int64) * k + true) * k + said
    return np.bincount(cells, minlength=labels.n_annotators * k * k).reshape(-1, k, k)


def annotator_accuracy(labels: Annotations, truth: Any = None) -> np.ndarray:
    """[annotators] the share of each one's labels that meet the truth; nan where none can be judged.

    >>> annotator_accuracy(Annotations.from_matrix([[0, 1], [1, 1]]), [0, 1]).tolist()
    [1.0, 0.5]
    """
    annotator, true, said = _judged(labels, truth)
    n = np.bincount(annotator, minlength=labels.n_annotators)
    right = np.bincount(annotator, true == said, labels.n_annotators)
    return np.where(n > 0, right / np.maximum(n, 1), np.nan)


def js_divergence(p: Any, q: Any, mask: Any = None) -> float:
    """The Jensen-Shannon divergence of the rows of p and q, in bits, averaged over rows.

    p, q: [..., L] distributions (or counts, which are normalised), clipped from below at 1e-7.
    mask: [...] the rows that count; leave out rows of truths that an annotator never met. With
        counts, rows that sum to 0 in p or q are left out in any case. No row left: nan.

    >>> js_divergence([[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]])
    0.0
    >>> round(js_divergence([[1.0, 0.0]], [[0.0, 1.0]]), 5)
    1.0
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.shape != second.shape or not first.ndim:
        raise ParameterError(f"p has shape {first.shape} and q {second.shape}: give rows of the same shape")
    met = (first.sum(axis=-1) > 0) & (second.sum(axis=-1) > 0)
    if mask is not None:
        chosen = np.asarray(mask, dtype=bool)
        if chosen.shape != met.shape:
            raise ParameterError(f"mask has shape {chosen.shape}: give one entry a row, {met.shape}")
        met &= chosen
    if not met.any():
        return np.nan
    first, second = (
        np.maximum(rows / rows.sum(-1, keepdims=True), CLIP) for rows in (first[met], second[met])
    )
    middle = (first + second) / 2
    apart = first * np.log2(first / middle) + second * np.log2(second / middle)
    return float(apart.sum(axis=-1).mean() / 2)


def spammer_score(confusions: Any) -> np.ndarray:
    """[annotators] 0 for one whose label says nothing about the truth, 1 for one always right.

    The mean over pairs of truths of half the squared distance between their rows (Raykar and Yu,
    *Eliminating Spammers and Ranking Annotators*, 2012). A label that always tells the truth under
    other names scores 1 as well.

    confusions: [annotators, K, L] matrices or counts. Rows that sum to 0 are left out; nan where
        fewer than two remain.

    >>> spammer_score([[[1.0, 0.0], [0.0, 1.0]], [[0.7, 0.3], [0.7, 0.3]]]).tolist()
    [1.0, 0.0]
    """
    counts = np.asarray(confusions, dtype=np.float64)
    if counts.ndim != 3:
        raise ParameterError(f"confusions have shape {counts.shape}: give [annotators, truths, labels]")
    total = counts.sum(axis=-1, keepdims=True)
    rows = counts / np.where(total > 0, total, 1.0)
    met = (total[..., 0] > 0).sum(axis=1)
    # Sum over pairs of |a - b|^2 = C sum |a|^2 - |sum a|^2; rows of zeros add nothing to either.
    apart = met * (rows**2).sum(axis=(1, 2)) - (rows.sum(axis=1) ** 2).sum(axis=1)
    pairs = met * (met - 1.0) / 2
    return np.where(pairs > 0, np.maximum(apart, 0.0) / (2 * np.maximum(pairs, 1.0)), np.nan)


def _judged(labels: Annotations, truth: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Annotator, truth and label of each annotation that has both."""
    if not labels.truth_is_categorical or labels.kind == "soft":
        raise UnsupportedError(
            f"kind={labels.kind!r} has no single class a label to count; compare its consensus instead"
        )
    codes = _truth_codes(labels, truth)
    unit, annotator, said = labels.rows
    true = codes[unit]
    keep = (said >= 0) & (true >= 0)
    return annotator[keep], true[keep], said[keep]


def _truth_codes(labels: Annotations, truth: Any) -> np.ndarray:
    given = labels.truth if truth is None else truth
    if given is None:
        raise ParameterError("there is no truth: give one code a unit, or labels.with_truth(...) first")
    codes = np.asarray(given)
    if codes.shape != (labels.n_units,) or (codes.size and codes.dtype.kind not in "iub"):
        raise ParameterError(
            f"truth has dtype {codes.dtype} and shape {codes.shape}: give one code for each of "
            f"{labels.n_units} units, -1 where unknown"
        )
    if (codes >= labels.n_classes).any():
        unit = int(np.argmax(codes >= labels.n_classes))
        raise ParameterError(f"truth {codes[unit]} of unit {unit} is no code of {labels.n_classes} classes")
    return codes.astype(np.int64)
