"""Parameters checked at the door: what it was, what it must be."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from ..errors import ParameterError

__all__ = ["check_choice", "check_integer", "check_number"]


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
        if not isinstance(value, Real) or isinstance(value, bool) or not bound <= float(value) < float("inf"):
            _refuse(owner, name, value, f"a number of at least {bound:g}")


def check_choice(owner: Any, **choices: tuple[Any, ...]) -> None:
    """Each named parameter must be one of those."""
    for name, allowed in choices.items():
        value = getattr(owner, name)
        if value not in allowed:
            _refuse(owner, name, value, "one of " + ", ".join(map(repr, allowed)))


def _refuse(owner: Any, name: str, value: Any, wanted: str) -> None:
    raise ParameterError(f"{name}={value!r} of {type(owner).__name__} must be {wanted}")
