"""`--set key=value`: text from a command line as a parameter of the right type."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

__all__ = ["Settings", "parse_settings"]

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A parameter of its own; repeat it for more.", show_default=False
    ),
]


def parse_settings(given: Sequence[str] | None, known: Mapping[str, Any], whose: str) -> dict[str, Any]:
    """Each key=value by the type of the default that it replaces.

    known: the parameters and their defaults. whose: what has them, for the message.

    >>> parse_settings(["max_iter=20", "accelerate=yes"], {"max_iter": 100, "accelerate": False}, "x")
    {'max_iter': 20, 'accelerate': True}
    """
    found: dict[str, Any] = {}
    for entry in given or ():
        key, equals, text = entry.partition("=")
        key = key.strip().replace("-", "_")
        if not equals:
            raise _refused(f"{entry!r} must be KEY=VALUE, such as --set {next(iter(known), 'key')}=...")
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise _refused(f"{whose} has no parameter {key!r}{hint} It has: {_listed(known)}")
        found[key] = _value(key, text.strip(), known[key])
    return found


def _value(key: str, text: str, default: Any) -> Any:
    value = _literal(text)
    if isinstance(default, bool):
        switch = {"yes": True, "no": False, "on": True, "off": False}.get(text.lower(), value)
        return switch if isinstance(switch, bool) else _complain(key, text, "true or false")
    if isinstance(default, int):
        return value if type(value) is int else _complain(key, text, "a whole number")
    if isinstance(default, float):
        return float(value) if type(value) in (int, float) else _complain(key, text, "a number")
    if isinstance(default, (tuple, list)):
        return tuple(value) if isinstance(value, list) else _complain(key, text, "numbers, such as 0.6,0.9")
    return value


def _literal(text: str) -> Any:
    """As JSON has it; numbers with commas between them are a list; anything else is text."""
    for attempt in (text.lower() if text.lower() in ("true", "false", "none", "null") else text, f"[{text}]"):
        try:
            return json.loads("null" if attempt == "none" else attempt)
        except ValueError:
            continue
    return text


def _complain(key: str, text: str, wanted: str) -> Any:
    raise _refused(f"{key}={text}: must be {wanted}")


def _refused(message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint="'--set'")


def _listed(known: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={default}" for key, default in known.items()) or "none"
