"""Sizes of memory as people write them."""

from __future__ import annotations

import re

from ..errors import ParameterError

__all__ = ["as_bytes"]

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def as_bytes(size: int | str) -> int:
    """So many bytes.

    >>> as_bytes("2G"), as_bytes("500 MiB"), as_bytes(1024)
    (2147483648, 524288000, 1024)
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", str(size).lower())
    if not found or float(found[1]) <= 0:
        raise ParameterError(f"memory={size!r} must be a size such as '2G' or '500M'")
    return int(float(found[1]) * UNITS[found[2]])
