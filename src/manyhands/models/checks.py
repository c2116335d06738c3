"""Parameters checked at the door: what it was, what it must be."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import ParameterError

__all__ = [
    "check_above",
    "check_between",
    "check_choice",
    "check_em",
    "check_flag",
    "check_integer",
    "check_number",
]


def check_em(owner: Any) -> None:
    """What steers the EM loop, alike in every estimator that runs it."""
    check_integer(owner, max_iter=1, n_init=1, random_state=0)
    check_number(owner, tol=0)
    check_flag(owner, "accelerate", "use_truth", "warm_start")
    if owner.callback is not None and not callable(owner.callback):
        _refuse(owner, "callback", owner.callback, "None, or a function of the step and the objective")


def check_integer(owner: Any, **least: int) -> None:
    """Each named parameter must be an integer of at least that."""
    for name, bound in least.items():
        value = getattr(owner, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < bound:
            _refuse(owner, name, value, f"an integer of at least {bound}")


def check_number(owner: Any, **least: float) -> None:
    """Each named parameter must be a finite number of at least that."""
    for name, bound in least.items():
        value = getattr(owner, name)
        if not _is_real(value) or not bound <= float(value) < float("inf"):
            _refuse(owner, name, value, f"a number of at least {bound:g}")


def check_above(owner: Any, **bounds: float) -> None:
    """Each named parameter must be a finite number above that."""
    for name, bound in bounds.items():
        value = getattr(owner, name)
        if not _is_real(value) or not bound < float(value) < float("inf"):
            _refuse(owner, name, value, f"a number above {bound:g}")


def check_between(owner: Any, low: float, high: float, *names: str) -> None:
    """Each named parameter must be a number from low to high."""
    for name in names:
        value = getattr(owner, name)
        if not _is_real(value) or not low <= float(value) <= high:
            _refuse(owner, name, value, f"a number from {low:g} to {high:g}")


def check_flag(owner: Any, *names: str) -> None:
    """Each named parameter must be True or False."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, (bool, np.bool_)):
            _refuse(owner, name, value, "True or False")


def check_choice(owner: Any, **choices: tuple[Any, ...]) -> None:
    """Each named parameter must be one of those."""
    for name, allowed in choices.items():
        value = getattr(owner, name)
        if value not in allowed:
            _refuse(owner, name, value, "one of " + ", ".join(map(repr, allowed)))


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _refuse(owner: Any, name: str, value: Any, wanted: str) -> None:
    raise ParameterError(f"{name}={value!r} of {type(owner).__name__} must be {wanted}")
