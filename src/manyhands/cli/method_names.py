"""`--method NAME`: of those without features, or of those with; each says where the other is."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import typer

from ..catalog import FIRST, METHODS, TRAINED, Method, method
from ..errors import ParameterError

__all__ = ["known_aggregator", "known_method", "known_trained"]


def known_aggregator(name: str | None) -> str | None:
    """A method of `aggregate`."""
    if name is not None and (name in TRAINED or name.startswith(FIRST)):
        raise typer.BadParameter(
            f"{name!r} learns from features too: manyhands train LABELS --features F --method {name} --out MODEL"
        )
    return _known(name, METHODS)


def known_trained(name: str | None) -> str | None:
    """A method of `train`."""
    if name in METHODS:
        raise typer.BadParameter(
            f"{name!r} takes no features: manyhands aggregate LABELS --method {name}; or aggregate first and train "
            f"a network on the outcome, --method two-stage:{name}"
        )
    if name is not None and name.startswith(FIRST):
        try:
            return method(name).name
        except ParameterError as error:
            raise typer.BadParameter(str(error)) from None
    return _known(name, TRAINED)


def known_method(name: str | None) -> str | None:
    """A method of either."""
    if name is not None and name.startswith(FIRST):
        return known_trained(name)
    return _known(name, {**METHODS, **TRAINED})


def _known(name: str | None, methods: Mapping[str, Method]) -> str | None:
    if name is not None and name not in methods:
        close = get_close_matches(name, methods, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise typer.BadParameter(f"there is no method {name!r}. {hint}The methods are {', '.join(methods)}.")
    return name
