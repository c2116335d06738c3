"""Which methods are judged: names of the catalogue, estimators of the user's, or all that suit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..catalog import METHODS, method, methods_for
from ..errors import ParameterError, UnsupportedError

__all__ = ["BY", "Candidate", "candidates"]

BY = ("labels", "features")


@dataclass(frozen=True)
class Candidate:
    """A method by the name it has in the comparison, and how to make an unfitted one."""

    name: str
    like: Any
    needs_features: bool

    def make(self) -> Any:
        """A new estimator of the same parameters."""
        return type(self.like)(**self.like.get_params(deep=False))

    def fit(self, labels: Any, X: Any) -> Any:
        """A fitted one."""
        return self.make().fit(X, labels) if self.needs_features else self.make().fit(labels)


def candidates(methods: Any, kind: str, has_features: bool, by: str, seed: int) -> list[Candidate]:
    """Names, estimators, or a mapping from name to either; None: all that take this kind of label.

    >>> [c.name for c in candidates(None, "number", False, "labels", 0)]
    ['mean', 'median', 'precision-weighted']
    """
    if by not in BY:
        raise ParameterError(f"by={by!r} must be one of {', '.join(map(repr, BY))}")
    if by == "features" and not has_features:
        raise ParameterError("by='features' needs features: give X, or judge by='labels'")
    given = _given(methods, kind, has_features, by)
    made = [_candidate(name, what, kind, seed) for name, what in given]
    names = [c.name for c in made]
    if not made or len(set(names)) < len(names):
        raise ParameterError(f"methods={names!r}: give at least one, each under a name of its own")
    for c in made:
        _check(c, has_features, by)
    return made


def _given(methods: Any, kind: str, has_features: bool, by: str) -> list[tuple[str | None, Any]]:
    if methods is None:
        plain = methods_for(kind) if by == "labels" else []
        return [
            (m.name, m.name) for m in [*plain, *(methods_for(kind, features=True) if has_features else [])]
        ]
    if isinstance(methods, Mapping):
        return list(methods.items())
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise ParameterError(f"methods={methods!r}: give a list of names or estimators, or a mapping")
    return [(what if isinstance(what, str) else None, what) for what in methods]


def _candidate(name: str | None, what: Any, kind: str, seed: int) -> Candidate:
    if isinstance(what, str):
        line = method(what)
        if kind not in line.kinds:
            suited = ", ".join(m.name for m in (*methods_for(kind), *methods_for(kind, features=True)))
            raise UnsupportedError(f"{what} does not take labels of kind {kind!r}; these do: {suited}")
        made = line.make()
        if "random_state" in made.get_params():
            made.set_params(random_state=seed)
        return Candidate(name or what, made, line.needs_features)
    if not hasattr(what, "fit") or not hasattr(what, "get_params"):
        raise ParameterError(f"methods holds {what!r}: give names of methods or unfitted estimators")
    own = str(getattr(what, "name", type(what).__name__))
    return Candidate(name or own, what, own not in METHODS and _takes_features(what))


def _takes_features(estimator: Any) -> bool:
    from inspect import signature

    return "X" in signature(estimator.fit).parameters


def _check(candidate: Candidate, has_features: bool, by: str) -> None:
    if candidate.needs_features and not has_features:
        raise ParameterError(f"{candidate.name} learns from features too: give X (in the command --features)")
    if by == "features" and not candidate.needs_features:
        raise ParameterError(
            f"{candidate.name} takes no features, so it cannot be judged by what it says of them: leave it out, "
            f"or judge by='labels', where everything is beside everything"
        )
