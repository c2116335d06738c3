"""Ordered classes: thresholds on one scale, and annotators who shift, stretch and blur it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from ..errors import ParameterError
from .batch import Sizes
from .channel import FLOOR
from .sums import steady_sum

if TYPE_CHECKING:
    from .ordinal_module import OrdinalModule

__all__ = ["Ordinal", "OrdinalParams", "log_gap", "threshold_rows"]

APART = 3.0  # where gaps start, in units of the average annotator's blur: right .64 of the time
ROUNDS = 2  # of annotators and scale in turn, in one M-step
FARTHEST = 50.0  # no logarithm of a width or a gap beyond this, after an extrapolation


class OrdinalParams(NamedTuple):
    r"""Of each annotator [annotators]: log_width, discrimination, shift; of the scale the rest.

    first: the lowest threshold; log_gaps: between thresholds, [classes - 2]; log_steps: between the
    classes' places, [classes - 1]. size: zeros, there for their shape [labels, classes].
    """

    log_width: Tensor
    discrimination: Tensor
    shift: Tensor
    first: Tensor
    log_gaps: Tensor
    log_steps: Tensor
    size: Tensor

    @property
    def thresholds(self) -> Tensor:
        r"""$\tau_m$, ascending, [classes - 1]."""
        return threshold_line(self.first, self.log_gaps)

    @property
    def places(self) -> Tensor:
        r"""$\theta_k$, ascending, about 0, [classes]."""
        return place_line(self.log_steps)


@dataclass(frozen=True)
class Ordinal:
    r"""$p(l \le m | k, j) = \sigma(a_j \tau_m - d_j \theta_k - b_j)$: confusions fall with distance.

    The crowd shares one scale: a place $\theta_k$ for every class and a threshold $\tau_m$ between every
    two labels. An annotator has three numbers, however many classes there are: the discrimination d (0
    cannot tell the classes apart, below 0 reads the scale backwards), the shift b (above 0: labels too
    high) and the width a of the thresholds (small: goes to extremes; large: keeps to the middle).

    A label between two thresholds has $\sigma(u) - \sigma(v) = \sigma(u) \sigma(-v) (1 - e^{v - u})$ and $u - v$
    does not depend on the truth: the expected log-likelihood is a sum of logistic regressions and of
    $\log(1 - e^{-a g})$, concave in the annotators given the scale and in the scale given the
    annotators. So Newton's steps, halved where they overshoot, never let it fall.

    strength: votes' worth of the average annotator (a = d = 1, b = 0) behind each one; 0 is maximum
        likelihood, whose scale has no unit of its own.
    scale: the same behind the gaps between thresholds and between places.
    """

    strength: float = 2.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        for name in ("strength", "scale"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise ParameterError(f"{name}={value!r} must be a number of at least 0")

    def start(self, n_annotators: int, n_labels: int, n_classes: int) -> OrdinalParams:
        """Everybody average, everything evenly apart."""
        nobody = torch.zeros(n_annotators, dtype=torch.float64)
        gaps = torch.full((max(n_classes - 2, 0),), math.log(APART), dtype=torch.float64)
        steps = torch.full((max(n_classes - 1, 0),), math.log(APART), dtype=torch.float64)
        first = torch.tensor(-APART * (n_classes - 2) / 2, dtype=torch.float64)
        size = torch.zeros(n_labels, n_classes, dtype=torch.float64)
        return OrdinalParams(nobody, torch.ones_like(nobody), nobody.clone(), first, gaps, steps, size)

    def maximise(self, counts: Tensor, params: OrdinalParams | None = None) -> OrdinalParams:
        """Newton's steps from where the parameters are: annotators and scale in turn."""
        from .ordinal_newton import better_annotators, better_scale

        fresh = params is None
        params = self.start(*counts.shape) if params is None else params
        n_classes = counts.shape[2]
        if n_classes < 2:
            return params
        spoken = counts[:, :n_classes].transpose(1, 2) + FLOOR  # "cannot say" has no place on the scale
        for _ in range(3 * ROUNDS if fresh else ROUNDS):
            params = better_scale(spoken, params, self.scale)
            params = better_annotators(spoken, params, self.strength)
        return params

    def log_rows(self, params: OrdinalParams) -> Tensor:
        """Log p(label | truth); "cannot say" tells nothing."""
        n_labels, n_classes = params.size.shape
        rows = params.log_width.new_zeros(len(params.shift), n_labels, n_classes)
        if n_classes > 1:
            rows[:, :n_classes] = threshold_rows(params).transpose(1, 2)
        return rows

    def log_prior(self, params: OrdinalParams) -> float:
        """Of annotators and scale, up to a constant."""
        n_classes = params.size.shape[1]
        if n_classes < 2:
            return 0.0
        total = FLOOR * steady_sum(threshold_rows(params))
        total += self.strength * steady_sum(annotator_prior(params))
        for logs in (params.log_gaps, params.log_steps):
            total += self.scale * steady_sum(gap_prior(logs.exp()))
        return total

    def project(self, params: OrdinalParams) -> OrdinalParams:
        """No width and no gap beyond what a float holds."""
        bounded = {
            name: getattr(params, name).clamp(-FARTHEST, FARTHEST)
            for name in ("log_width", "log_gaps", "log_steps")
        }
        return params._replace(**bounded, size=torch.zeros_like(params.size))

    def build(self, sizes: Sizes) -> OrdinalModule:
        """The torch module to train.

        >>> rows = Ordinal().build(Sizes(2, 3, 3)).confusions()[0]
        >>> bool(rows[0, 0] > rows[0, 1] > rows[0, 2])
        True
        """
        from .ordinal_module import OrdinalModule

        return OrdinalModule(self, sizes)


def threshold_line(first: Tensor, log_gaps: Tensor) -> Tensor:
    """The thresholds, ascending."""
    return first + torch.cat([first.new_zeros(1), log_gaps.exp().cumsum(0)])


def place_line(log_steps: Tensor) -> Tensor:
    """The places of the classes, ascending, of mean 0."""
    line = torch.cat([log_steps.new_zeros(1), log_steps.exp().cumsum(0)])
    return line - line.mean()


def levels(params: OrdinalParams) -> Tensor:
    """The logit of a label at most m when the truth is k, [annotators, classes, classes - 1]."""
    width = params.log_width.exp()[:, None, None] * params.thresholds
    seen = params.discrimination[:, None] * params.places + params.shift[:, None]
    return width - seen[:, :, None]


def log_gap(x: Tensor) -> Tensor:
    """Log(1 - exp(-x)), x above 0."""
    return (-torch.expm1(-x)).log()


def threshold_rows(params: OrdinalParams) -> Tensor:
    """Log T, [annotators, classes, labels]."""
    u = levels(params)
    below, above = logsigmoid(u), logsigmoid(-u)
    inner = log_gap(params.log_width.exp()[:, None] * params.log_gaps.exp())[:, None]
    middle = below[..., 1:] + above[..., :-1] + inner
    return torch.cat([below[..., :1], middle, above[..., -1:]], dim=2)


def annotator_prior(params: OrdinalParams) -> Tensor:
    """One vote's worth behind each annotator, [annotators]; concave, and at most 0."""
    width = params.log_width - params.log_width.exp() + 1
    return width - 0.5 * ((params.discrimination - 1) ** 2 + params.shift**2)


def gap_prior(gaps: Tensor) -> Tensor:
    """One vote's worth behind each gap: most likely where it starts."""
    return gaps.log() - gaps / APART
