"""SQUAREM (Varadhan and Roland, 2008): a leap along the last two EM steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from torch import Tensor

from ..channels.sums import steady_sum

__all__ = ["extrapolate"]


def extrapolate(start: Any, once: Any, twice: Any) -> Any:
    r"""$\theta_0 - 2 \alpha r + \alpha^2 v$ with $r = \theta_1 - \theta_0$, $v = \theta_2 - \theta_1 - r$.

    The step is $\alpha = -|r| / |v|$, no less than a plain double step (-1). Works on nested
    tuples of tensors in any unconstrained (log) domain.

    >>> import torch
    >>> series = [torch.tensor([1.0 - 0.5**n]) for n in range(3)]  # on its way to 1
    >>> extrapolate(*((x,) for x in series))[0].item()
    1.0
    """
    r_norm = math.sqrt(sum(_square(b - a) for a, b in _pairs(start, once)))
    v_norm = math.sqrt(
        sum(
            _square(c - 2 * b + a)
            for (a, b), (_, c) in zip(_pairs(start, once), _pairs(once, twice), strict=True)
        )
    )
    alpha = -max(1.0, r_norm / v_norm) if v_norm > 0 else -1.0
    return _combine(start, once, twice, alpha)


def _combine(a: Any, b: Any, c: Any, alpha: float) -> Any:
    if isinstance(a, Tensor):
        step = b - a
        return a - 2 * alpha * step + alpha**2 * (c - b - step)
    parts = [_combine(x, y, z, alpha) for x, y, z in zip(a, b, c, strict=True)]
    return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)


def _pairs(a: Any, b: Any) -> Iterator[tuple[Tensor, Tensor]]:
    if isinstance(a, Tensor):
        yield a, b
        return
    for x, y in zip(a, b, strict=True):
        yield from _pairs(x, y)


def _square(x: Tensor) -> float:
    return steady_sum(x.double() ** 2)
