"""Annotators who over-use a class, and the Crowd Layer paper's five."""

from __future__ import annotations

import numpy as np

from ...errors import ParameterError
from ..bounds import interval
from ..confused import Confused
from ..gaussians import Gaussians
from ..matrices import even_errors
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]

# Dogs (1) against cats (0): p(1 | 1) and p(0 | 0) of the paper's five annotators.
ALPHA = np.array([0.6, 0.9, 0.5, 0.9, 0.9])
BETA = np.array([0.7, 0.8, 0.5, 0.2, 0.9])


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    accuracy: tuple[float, float] = (0.7, 0.95),
    bias: tuple[float, float] = (0.1, 0.5),
    five: bool = False,
) -> Confused:
    """Right with a chance, but now and then the favourite class whatever the truth.

    Options:
        accuracy: the (low, high) chance of being right while not answering the favourite.
        bias: the (low, high) chance of answering the favourite without looking.
        five: the Crowd Layer paper's annotators instead: 5 of them and 2 classes, whatever
            n_annotators and n_classes; all label everything at redundancy=5.
    """
    if five:
        return _five(size)
    ability = rng.uniform(*interval("accuracy", accuracy), size.n_annotators)
    weight = rng.uniform(*interval("bias", bias), size.n_annotators)
    favourite = rng.integers(size.n_classes, size=size.n_annotators)
    always = np.eye(size.n_classes)[favourite][:, None, :]
    looked = even_errors(ability, size.n_classes)
    confusions = weight[:, None, None] * always + (1 - weight)[:, None, None] * looked
    return Confused.of(size, confusions, {"ability": ability, "bias": weight, "favourite": favourite})


def _five(size: Size) -> Confused:
    prior = size.prior
    if len(prior) != 2:
        if not (prior == prior[0]).all():
            raise ParameterError(f"five=True has 2 classes, but the prior or the truth has {len(prior)}")
        prior = np.full(2, 0.5)
    confusions = np.stack([np.stack([BETA, 1 - BETA], 1), np.stack([1 - ALPHA, ALPHA], 1)], 1)
    size = size._replace(n_annotators=5, n_classes=2, prior=prior, gaussians=_two(size.gaussians))
    return Confused.of(size, confusions, {"alpha": ALPHA.copy(), "beta": BETA.copy()})


def _two(gaussians: Gaussians | None) -> Gaussians | None:
    if gaussians is None:
        return None
    if len(gaussians.means) < 2:
        raise ParameterError("five=True has 2 classes, but features were asked for 1: give n_classes=2")
    return gaussians._replace(means=gaussians.means[:2])


RECIPE = Recipe("biased", "class", "each over-uses one class; five=True: the Crowd Layer paper's five", build)
