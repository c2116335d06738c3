"""The posterior of a number from votes that are jointly normal, with the truth integrated out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

__all__ = ["Found", "posterior"]


class Found(NamedTuple):
    """Of each unit: how far the votes move the prior's mean, the variance left, their log-likelihood."""

    shift: Tensor
    variance: Tensor
    log_likelihood: Tensor


def posterior(
    residual: Tensor,
    gain: Tensor,
    precision: Tensor,
    spread: Tensor,
    per_unit: Callable[[Tensor], Tensor],
    of_units: Callable[[Tensor], Tensor],
    weight: Tensor | None = None,
) -> Found:
    r"""$r_n = a_n \delta_i + \epsilon_n$, $\epsilon_n \sim N(0, 1 / \lambda_n)$, $\delta_i \sim N(0, s_i^2)$.

    residual, gain, precision: r, a and lambda of every vote. spread: $s^2$ of every unit; at 0 the
        truth is known. per_unit, of_units: sums of votes over their unit, and back.
    weight: votes that count so often.

    >>> import torch
    >>> one = torch.ones(2)
    >>> add, back = (lambda v: v.sum()[None]), (lambda u: u.expand(2))
    >>> found = posterior(torch.tensor([1.0, 2.0]), one, one, torch.ones(1), add, back)
    >>> found.shift.item(), round(found.variance.item(), 4)
    (1.0, 0.3333)
    """
    log_density = 0.5 * (precision.log() - math.log(2 * math.pi))
    if weight is not None:
        precision, log_density = precision * weight, log_density * weight
    told = 1 + spread * per_unit(precision * gain**2)
    pull = per_unit(precision * gain * residual) / told
    shift = spread * pull
    # The sum of squares about the posterior, not a difference of two large ones: no digit is lost.
    left = per_unit(precision * (residual - gain * of_units(shift)) ** 2) + shift * pull
    return Found(shift, spread / told, per_unit(log_density) - 0.5 * (told.log() + left))
