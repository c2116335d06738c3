"""`manyhands methods`: the catalogue."""

from __future__ import annotations

import typer

from ..catalog import (
    CLASSES,
    METHODS,
    NUMBERS,
    ONE_TRUTH,
    TRAINED,
    Method,
    default_method,
    methods_for,
)
from .options import Json, Kind

__all__ = ["methods"]

KINDS = (*CLASSES, *NUMBERS)


def methods(kind: Kind = None, json: Json = False) -> None:
    """List the methods, and the kinds of label that they take.

    Those marked `train` learn from features of the tasks too; the others are of `aggregate`.
    """
    if kind is not None and kind not in KINDS:
        raise typer.BadParameter(
            f"{kind!r} is not a kind of label: {', '.join(KINDS)}", param_hint="'--kind'"
        )
    every = [*METHODS.values(), *TRAINED.values()]
    chosen = every if kind is None else [*methods_for(kind), *methods_for(kind, features=True)]
    from .output import print_json, table

    if json:
        print_json([_entry(method) for method in chosen])
        return
    rows = [(m.name, _verb(m), m.says, _kinds(m), m.paper, ", ".join(_default_of(m))) for m in chosen]
    table(("method", "of", "what it says", "kinds", "paper", "default of"), rows)


def _entry(method: Method) -> dict[str, object]:
    return {
        "name": method.name,
        "says": method.says,
        "paper": None if method.paper == "-" else method.paper,
        "kinds": list(method.kinds),
        "default_of": _default_of(method),
        "needs_features": method.needs_features,
    }


def _default_of(method: Method) -> list[str]:
    return [kind for kind in method.kinds if default_method(kind) is method]


def _verb(method: Method) -> str:
    return "train" if method.needs_features else "aggregate"


def _kinds(method: Method) -> str:
    """The kinds in few letters: the column would else be the widest."""
    short = {CLASSES: "all but number", ONE_TRUTH: "one class a task"}
    return short.get(method.kinds) or ", ".join(method.kinds)
