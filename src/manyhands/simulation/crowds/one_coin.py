"""One coin an annotator: right with a chance of their own, else any other class."""

from __future__ import annotations

import numpy as np

from ..bounds import interval
from ..confused import Confused
from ..matrices import even_errors
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(size: Size, rng: np.random.Generator, *, accuracy: tuple[float, float] = (0.5, 0.95)) -> Confused:
    """Accuracies even in a range.

    Options:
        accuracy: the (low, high) chance of being right.
    """
    ability = rng.uniform(*interval("accuracy", accuracy), size.n_annotators)
    return Confused.of(size, even_errors(ability, size.n_classes), {"ability": ability})


RECIPE = Recipe("one-coin", "class", "one chance of being right each; errors fall evenly", build)
