"""Annotators who are wrong on purpose, and LIA's two oracles."""

from __future__ import annotations

import numpy as np

from ...errors import ParameterError
from ..bounds import chance, interval
from ..confused import Confused
from ..matrices import even_errors
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    adversaries: float = 0.2,
    accuracy: tuple[float, float] = (0.6, 0.95),
    adversary_accuracy: tuple[float, float] = (0.0, 0.2),
    oracles: bool = False,
) -> Confused:
    """One-coin annotators, some of them far below chance.

    Options:
        adversaries: the chance of being one.
        accuracy, adversary_accuracy: the (low, high) chance of being right of either sort.
        oracles: the last two annotators are always right and always wrong (LIA's check).
    """
    against = rng.random(size.n_annotators) < chance("adversaries", adversaries)
    good = rng.uniform(*interval("accuracy", accuracy), size.n_annotators)
    bad = rng.uniform(*interval("adversary_accuracy", adversary_accuracy), size.n_annotators)
    ability = np.where(against, bad, good)
    if oracles:
        if size.n_annotators < 2:
            raise ParameterError(f"oracles=True needs n_annotators of at least 2, not {size.n_annotators}")
        ability[-2:], against[-2:] = (1.0, 0.0), (False, True)
    known = {"ability": ability, "adversary": against}
    return Confused.of(size, even_errors(ability, size.n_classes), known)


RECIPE = Recipe("adversarial", "class", "some annotators wrong on purpose; oracles=True: LIA's two", build, 2)
