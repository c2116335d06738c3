"""Parameters as JSON and back: our own specifications by name, a user's own objects left to the user."""

from __future__ import annotations

import dataclasses
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..errors import ParameterError, UnsupportedError
from .parameters import Parameters

__all__ = ["pack_parameter", "unpack_parameter"]

PLAIN = (bool, int, float, str, type(None))


def pack_parameter(name: str, value: Any) -> Any:
    """What JSON can hold.

    >>> from manyhands.networks import MLP
    >>> packed = pack_parameter("network", MLP(hidden=(16, 8)))
    >>> packed["spec"], unpack_parameter(packed, None)
    ('networks.MLP', MLP(hidden=(16, 8), dropout=0.5, activation='relu', batch_norm=False, standardize=True))
    """
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return pack_parameter(name, value.tolist())
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [pack_parameter(name, v) for v in value]}
    spec = next((key for key, cls in registry().items() if cls is type(value)), None)
    if spec is not None:
        return {
            "spec": spec,
            "fields": {k: pack_parameter(f"{name}.{k}", v) for k, v in _fields(value).items()},
        }
    if name in ("network", "channel"):
        return {"own": getattr(value, "__qualname__", type(value).__name__)}
    raise UnsupportedError(
        f"{name}={value!r} cannot be saved: it is no number, text, or specification from manyhands"
    )


def unpack_parameter(packed: Any, own: Any) -> Any:
    """The parameter; `own` is what the user gives in place of an object of theirs."""
    if not isinstance(packed, dict):
        return packed
    if "own" in packed:
        return own
    for kind, make in (("list", list), ("tuple", tuple)):
        if kind in packed:
            return make(unpack_parameter(v, None) for v in packed[kind])
    if packed["spec"] not in registry():
        raise ParameterError(f"holds a {packed['spec']!r}, which this manyhands does not have: upgrade it")
    return registry()[packed["spec"]](**{k: unpack_parameter(v, None) for k, v in packed["fields"].items()})


def registry() -> dict[str, Any]:
    """Our own channels, networks and estimators by room and name; nothing else is ever made."""
    found: dict[str, Any] = {}
    for room in ("channels", "networks", "models"):
        module = import_module(f"..{room}", __package__)
        classes = {name: getattr(module, name) for name in module.__all__}
        found |= {f"{room}.{name}": cls for name, cls in classes.items() if _is_specification(cls)}
    return found


def _is_specification(cls: Any) -> bool:
    return isinstance(cls, type) and (
        dataclasses.is_dataclass(cls) or issubclass(cls, (BaseEstimator, Parameters))
    )


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, (BaseEstimator, Parameters)):
        return value.get_params(deep=False)
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
