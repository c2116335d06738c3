"""Ordered classes: the further from the truth, the rarer the error."""

from __future__ import annotations

import numpy as np

from ..bounds import interval
from ..confused import Confused
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(size: Size, rng: np.random.Generator, *, spread: tuple[float, float] = (0.3, 1.5)) -> Confused:
    """p(l | k) in proportion to exp(-|k - l| / spread_j).

    Options:
        spread: the (low, high) reach of an annotator's errors, in classes.
    """
    reach = rng.uniform(*interval("spread", spread, 1e-3, 1e6), size.n_annotators)
    places = np.arange(size.n_classes)
    distance = np.abs(places[:, None] - places)
    closeness = np.exp(-distance / reach[:, None, None])
    confusions = closeness / closeness.sum(axis=-1, keepdims=True)
    return Confused.of(size, confusions, {"spread": reach}, kind="ordinal")


RECIPE = Recipe("ordinal", "ordinal", "ordered classes; errors fall with distance", build)
