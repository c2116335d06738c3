"""A confusion matrix an annotator: the channel of Dawid and Skene, of SpeeLFC, of most papers."""

from __future__ import annotations

import numpy as np

from ..bounds import chance, positive
from ..confused import Confused
from ..matrices import dirichlet_rows
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size, rng: np.random.Generator, *, diagonal: float = 0.5, concentration: float = 1.0
) -> Confused:
    """Rows from a Dirichlet distribution, with weight added to the right answer.

    Options:
        diagonal: the weight of the right answer; the rest goes by the Dirichlet row, so the mean
            accuracy is diagonal + (1 - diagonal) / K.
        concentration: of the Dirichlet rows; small ones send a row's errors to one class.
    """
    weight = chance("diagonal", diagonal)
    rows = dirichlet_rows(size.n_annotators, size.n_classes, positive("concentration", concentration), rng)
    return Confused.of(size, weight * np.eye(size.n_classes) + (1 - weight) * rows, {})


RECIPE = Recipe("confusion", "class", "a confusion matrix each: Dirichlet rows plus a diagonal", build)
