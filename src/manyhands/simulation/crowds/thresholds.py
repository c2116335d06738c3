"""Ordered classes read off one scale: each annotator shifts, stretches and blurs it."""

from __future__ import annotations

import numpy as np

from ..bounds import interval, positive
from ..confused import Confused
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    apart: float = 3.0,
    discrimination: tuple[float, float] = (0.5, 1.5),
    shift: tuple[float, float] = (-1.5, 1.5),
    width: tuple[float, float] = (0.7, 1.3),
) -> Confused:
    """p(label at most m | k) = sigmoid(width_j tau_m - discrimination_j theta_k - shift_j).

    Options:
        apart: the distance between the places theta of neighbouring classes; the thresholds tau lie
            between them, moved at random by up to a quarter of it.
        discrimination: (low, high) of how sharply annotators see; 0 is blind, below 0 reversed.
        shift: (low, high) of how far above the truth they label.
        width: (low, high) of their thresholds' stretch: below 1 goes to extremes.
    """
    apart = positive("apart", apart)
    n, r = size.n_classes, size.n_annotators
    theta = apart * (np.arange(n) - (n - 1) / 2)
    tau = (theta[1:] + theta[:-1]) / 2 + rng.uniform(-apart / 4, apart / 4, n - 1)
    senses = rng.uniform(*interval("discrimination", discrimination, -1e3, 1e3), r)
    shifts = rng.uniform(*interval("shift", shift, -1e3, 1e3), r)
    widths = rng.uniform(*interval("width", width, 1e-3, 1e3), r)
    logit = widths[:, None, None] * tau - senses[:, None, None] * theta[:, None] - shifts[:, None, None]
    below = 0.5 * (1 + np.tanh(logit / 2))
    confusions = np.diff(below, axis=2, prepend=0.0, append=1.0)
    known = {"discrimination": senses, "shift": shifts, "width": widths, "thresholds": tau, "places": theta}
    return Confused.of(size, confusions, known, kind="ordinal")


RECIPE = Recipe("thresholds", "ordinal", "ordered classes on one scale; shift, width and blur each", build)
