"""Predictions against truths as class codes: shapes and ranges are checked here, once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParameterError

__all__ = ["known_codes", "known_probabilities"]

TOLERANCE = 1e-3  # how far from 1 a row of probabilities may sum, as float32 output does


def known_codes(predicted: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as code arrays, without the rows whose truth is unknown (-1)."""
    guess, true = _codes("predicted", predicted), _codes("truth", truth)
    _same_length("predicted", len(guess), len(true))
    return guess[true >= 0], true[true >= 0]


def known_probabilities(proba: Any, truth: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows of probabilities in float64 and their truths, without the rows of unknown truth."""
    rows, true = np.asarray(proba), _codes("truth", truth)
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise ParameterError(
            f"proba of shape {rows.shape}: give numbers, one row a unit and one column a class"
        )
    _same_length("proba", len(rows), len(true))
    rows, place = rows[true >= 0].astype(np.float64), np.flatnonzero(true >= 0)
    true = true[true >= 0]
    wrong = ~(np.abs(rows.sum(axis=1) - 1) <= TOLERANCE) | (rows < 0).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(
            f"proba row {place[row]} is {rows[row].tolist()}, which is not a distribution: give "
            f"probabilities that sum to 1, not scores or logarithms"
        )
    if (true >= rows.shape[1]).any():
        row = int(np.argmax(true >= rows.shape[1]))
        raise ParameterError(
            f"truth {true[row]} in row {place[row]} has no column in proba, which has {rows.shape[1]} classes"
        )
    return rows, true


def _codes(name: str, values: Any) -> np.ndarray:
    codes = np.asarray(values)
    if not codes.size and codes.ndim == 1:
        return codes.astype(np.int64)
    if codes.ndim != 1 or codes.dtype.kind not in "iub":
        raise ParameterError(
            f"{name} has dtype {codes.dtype} and shape {codes.shape}: give class codes, one whole number a "
            f"unit, -1 where unknown; names become codes by labels.classes.codes(names)"
        )
    return codes


def _same_length(name: str, given: int, truths: int) -> None:
    if given != truths:
        raise ParameterError(f"{name} has {given} rows but truth has {truths}: give one of each a unit")
