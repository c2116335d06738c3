"""Nested state (tensors among lists, tuples and dictionaries) as JSON and named arrays, and back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import FormatError, UnsupportedError

__all__ = ["pack_state", "unpack_state"]

PLAIN = (bool, int, float, str, type(None))
DTYPES = {str(t).removeprefix("torch."): t for t in (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
    torch.int8, torch.uint8, torch.bool)}  # fmt: skip


def pack_state(value: Any, arrays: dict[str, np.ndarray], name: str) -> Any:
    """Plain data that JSON can hold; tensors go to `arrays`, under names that begin with `name`.

    >>> arrays = {}
    >>> packed = pack_state({"step": 3, "mean": torch.tensor([0.5])}, arrays, "adam")
    >>> list(arrays), unpack_state(packed, arrays)
    (['adam.mean'], {'step': 3, 'mean': tensor([0.5000])})
    """
    if isinstance(value, Tensor):
        arrays[name] = _array(value)
        return {"tensor": name, "dtype": str(value.dtype).removeprefix("torch.")}
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"dict": [[k, pack_state(v, arrays, f"{name}.{k}")] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        items = [pack_state(v, arrays, f"{name}.{i}") for i, v in enumerate(value)]
        if hasattr(value, "_fields"):
            return {"record": type(value).__name__, "items": items}
        return {"list" if isinstance(value, list) else "tuple": items}
    raise UnsupportedError(
        f"{name} is a {type(value).__name__}, which cannot be saved: keep tensors, numbers, text, lists or "
        f"dictionaries in what a callback or channel gives as its state"
    )


def unpack_state(packed: Any, arrays: dict[str, np.ndarray]) -> Any:
    """What was packed; only our own records are made, looked up by name, never imported."""
    if isinstance(packed, PLAIN):
        return packed
    if "tensor" in packed:
        return torch.from_numpy(arrays[packed["tensor"]].copy()).to(DTYPES[packed["dtype"]])
    if "dict" in packed:
        return {k: unpack_state(v, arrays) for k, v in packed["dict"]}
    for kind, make in (("list", list), ("tuple", tuple)):
        if kind in packed:
            return make(unpack_state(v, arrays) for v in packed[kind])
    items = [unpack_state(v, arrays) for v in packed["items"]]
    return _records()[packed["record"]](*items)


def _array(value: Tensor) -> np.ndarray:
    value = value.detach().cpu()
    return (value.float() if value.dtype is torch.bfloat16 else value).numpy()


def _records() -> dict[str, Any]:
    """The named tuples of our own channels."""
    room = f"{__package__.rpartition('.')[0]}.channels."
    found = {
        key: value
        for name, module in list(sys.modules.items())
        if name.startswith(room)
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")
    }
    if not found:
        raise FormatError("holds a record of a channel, but no channel is loaded")
    return found
