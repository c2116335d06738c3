"""Groups of equals: expert, inexpert and spammer, as CMM has them."""

from __future__ import annotations

import numpy as np

from ...errors import ParameterError
from ..bounds import chance, positive, shares
from ..confused import Confused
from ..gaussians import Gaussians
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]

# The CMM paper's first set-up: its authors' matrices, and the three Gaussians.
PAPER = np.array(
    [
        [[0.81, 0.10, 0.10], [0, 0.89, 0.11], [0.40, 0.12, 0.48]],
        [[0.61, 0, 0.39], [0.09, 0.42, 0.48], [0.11, 0, 0.89]],
        [[0.89, 0, 0.11], [0.09, 0, 0.91], [0.74, 0, 0.26]],
    ]
)
CENTRES = np.array([[-0.5, 0], [0.5, 0], [0, 0.5]])


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    group_shares: tuple[float, ...] = (0.25, 0.55, 0.20),
    strengths: tuple[float, ...] = (0.9, 0.6, 0.0),
    paper: bool = False,
    spread: float = 0.4,
) -> Confused:
    """Each annotator in one group, all of a group with one matrix.

    Options:
        group_shares: the chance of each group.
        strengths: the weight of the truth in each group's matrix; the rest goes by Dirichlet
            rows, or at strength 0 (a spammer) by one row whatever the truth.
        paper: CMM's first set-up: 3 classes (whatever n_classes), its authors' matrices, and two
            features. Use it with redundancy=5.0, n_tasks=3000.
        spread: of those features. 0.4 is as printed, and the best classifier has .74 there; the
            paper's ceiling of .9475 needs 0.2.
    """
    if paper:
        size = size._replace(
            n_classes=3, prior=_three(size.prior), gaussians=Gaussians(CENTRES, positive("spread", spread))
        )
        matrices = PAPER / PAPER.sum(axis=-1, keepdims=True)
        chances = shares("group_shares", group_shares, 3)
    else:
        chances = shares("group_shares", group_shares, len(strengths))
        matrices = np.stack([_matrix(chance("strengths", s), size.n_classes, rng) for s in strengths])
    group = rng.choice(len(chances), size.n_annotators, p=chances)
    known = {"group": group, "group_confusions": matrices, "group_shares": chances}
    return Confused.of(size, matrices[group], known)


def _matrix(strength: float, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    rows = rng.dirichlet(np.ones(n_classes), 1 if strength == 0 else n_classes)
    return strength * np.eye(n_classes) + (1 - strength) * rows


def _three(prior: np.ndarray) -> np.ndarray:
    if len(prior) == 3:
        return prior
    if not (prior == prior[0]).all():
        raise ParameterError(f"paper=True has 3 classes, but the prior or the truth has {len(prior)}")
    return np.full(3, 1 / 3)


RECIPE = Recipe("groups", "class", "experts, inexperts and spammers: one matrix a group (CMM)", build)
