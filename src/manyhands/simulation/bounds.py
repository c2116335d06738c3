"""What an argument of a simulation may be; a breach names the value and the cure."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import ParameterError

__all__ = ["chance", "choice", "interval", "positive", "shares", "whole"]


def whole(name: str, value: Any, least: int) -> int:
    """A whole number, at least so large.

    >>> whole("n_tasks", 0, 1)
    Traceback (most recent call last):
        ...
    manyhands.errors.ParameterError: n_tasks=0 must be a whole number of at least 1
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}")
    return int(value)


def chance(name: str, value: Any) -> float:
    """A probability or a share."""
    if not _is_real(value) or not 0 <= value <= 1:
        raise ParameterError(f"{name}={value!r} must be a share between 0 and 1, for example {name}=0.1")
    return float(value)


def positive(name: str, value: Any, zero: bool = False) -> float:
    """A finite number above zero (or, if so said, not below it)."""
    sound = _is_real(value) and np.isfinite(value) and (value > 0 or (zero and value == 0))
    if not sound:
        raise ParameterError(
            f"{name}={value!r} must be a finite number {'of at least' if zero else 'above'} 0"
        )
    return float(value)


def interval(name: str, value: Any, least: float = 0.0, most: float = 1.0) -> tuple[float, float]:
    """A pair (low, high) within bounds.

    >>> interval("accuracy", (0.5, 0.9))
    (0.5, 0.9)
    """
    pair = tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if len(pair) != 2 or not all(map(_is_real, pair)) or not least <= pair[0] <= pair[1] <= most:
        raise ParameterError(
            f"{name}={value!r} must be a pair (low, high) with {least} <= low <= high <= {most}"
        )
    return float(pair[0]), float(pair[1])


def shares(name: str, value: Any, size: int | None = None) -> np.ndarray:
    """Shares that sum to 1, as many as asked."""
    given = np.asarray(value, dtype=np.float64) if _is_numeric(value) else np.empty(0)
    right_size = given.ndim == 1 and len(given) > 0 and size in (None, len(given))
    if not right_size or not (given >= 0).all() or not np.isclose(given.sum(), 1, atol=1e-6):
        many = "numbers" if size is None else f"{size} numbers"
        raise ParameterError(f"{name}={value!r} must be {many} of at least 0 that sum to 1")
    normalised: np.ndarray = given / given.sum()
    return normalised


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of some words."""
    if value not in choices:
        raise ParameterError(f"{name}={value!r} must be one of {', '.join(map(repr, choices))}")
    return str(value)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and not np.isnan(float(value))


def _is_numeric(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf"
    return isinstance(value, Sequence) and all(map(_is_real, value))
