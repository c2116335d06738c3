"""Sums of numbers an annotator, and the scale, bias and precision that explain them best (Raykar et al., 2010)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["Best", "Priors", "explain_best", "moments_of"]


class Priors(NamedTuple):
    """noise: the variance of an ordinary answer. hold, pull, strength: how many answers stand behind a
    scale of 1, no bias, and that noise.
    """

    noise: float
    hold: float
    pull: float
    strength: float


class Best(NamedTuple):
    """Of each annotator [annotators]; spread: the variance of truths about the network's word."""

    scale: Tensor
    bias: Tensor
    precision: Tensor
    spread: Tensor


def moments_of(
    annotator: Tensor, label: Tensor, belief: Tensor, far: Tensor, weight: Tensor, n_annotators: int
) -> Tensor:
    r"""$\sum w (1, l, m, l^2, l m, m^2 + v)$ and $\sum (far, 1) / n_i$ over each annotator's votes, in float64.

    belief: (m, v) of every vote's truth. far: the expected square of its distance from the network's
        word, over how many votes the unit has, and 1 over that: [votes, 2].
    """
    m, v, label = belief[:, 0].double(), belief[:, 1].double(), label.double()
    columns = torch.stack([torch.ones_like(m), label, m, label**2, label * m, m**2 + v], dim=1)
    columns = torch.cat([columns * weight.double()[:, None], far.double()], dim=1)
    return columns.new_zeros(n_annotators, columns.shape[1]).index_add_(0, annotator, columns)


def explain_best(
    moments: Tensor, precision: Tensor, share: Tensor, priors: Priors, free: tuple[bool, bool], centred: bool
) -> Best:
    """Scale and bias at these precisions, then precisions at these: neither step lowers the posterior.

    free: whether scale, and bias, may be other than 1 and 0. centred: see `NumberModule`.
    """
    n, l1, z1, l2, lz, z2, far, units = moments.unbind(dim=1)
    line = _lines(moments, precision, share, priors, free, centred)
    a, b = 1 + line[:, 0], line[:, 1]
    squares = l2 - 2 * a * lz - 2 * b * l1 + a**2 * z2 + 2 * a * b * z1 + n * b**2
    seen = n + priors.strength
    least = 1e-6 * priors.noise
    variance = torch.where(
        seen > 0, (squares + priors.strength * priors.noise) / seen.clamp(min=1e-12), priors.noise
    )
    return Best(a, b, 1 / variance.clamp(min=least), far.sum() / units.sum().clamp(min=1e-12))


def _lines(
    moments: Tensor, precision: Tensor, share: Tensor, priors: Priors, free: tuple[bool, bool], centred: bool
) -> Tensor:
    """(a - 1, b) of every annotator: weighted least squares with priors, under the constraint of centring."""
    n, l1, z1, _, lz, z2 = moments[:, :6].unbind(dim=1)
    left = torch.stack([torch.stack([z2, z1], 1), torch.stack([z1, n], 1)], 1) * precision[:, None, None]
    held = left.new_tensor([priors.hold, priors.pull]) / priors.noise
    left = left + torch.diag(held)
    right = torch.stack([lz - z2, l1 - z1], 1) * precision[:, None]
    open_ = [place for place, is_free in enumerate(free) if is_free]
    line = torch.zeros_like(right)
    if not open_:
        return line
    # Who said nothing, without a prior, would be divided by nothing.
    inverse = torch.linalg.pinv(left[:, open_][:, :, open_], hermitian=True)
    best = (inverse @ right[:, open_, None]).squeeze(2)
    if centred and float(share.sum()) > 0:
        ties = torch.einsum("j,jab->ab", share**2, inverse)
        multiplier = torch.linalg.pinv(ties, hermitian=True) @ (share @ best)
        best = best - share[:, None] * (inverse @ multiplier)
    line[:, open_] = best
    return line
