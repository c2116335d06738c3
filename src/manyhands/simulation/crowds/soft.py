"""Distributions over classes, as LLM judges give them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...annotations import Names
from ..bounds import chance, interval
from ..categorical import class_tasks
from ..matrices import dirichlet_rows
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    diagonal: float = 0.5,
    concentration: tuple[float, float] = (1.0, 20.0),
) -> Soft:
    """Each answer is drawn from Dirichlet(c_j T_j[truth]), so on average it is the row T_j[truth].

    Options:
        diagonal: the weight of the truth in T_j; the rest goes by a Dirichlet row.
        concentration: the (low, high) range of c_j, even in its logarithm: near 1 a judge is
            sure of itself, right or wrong; at 20 it hedges alike on all tasks of a class.
    """
    weight = chance("diagonal", diagonal)
    rows = dirichlet_rows(size.n_annotators, size.n_classes, 1.0, rng)
    confusions = weight * np.eye(size.n_classes) + (1 - weight) * rows
    low, high = np.log(interval("concentration", concentration, 1e-2, 1e6))
    sure = np.exp(rng.uniform(low, high, size.n_annotators))
    return Soft(
        kind="soft",
        classes=Names.range(size.n_classes),
        confusions=confusions,
        accuracy=np.einsum("jkk,k->j", confusions, size.prior),
        parameters={"concentration": sure},
        about=size,
    )


@dataclass(frozen=True, kw_only=True)
class Soft(People):
    """Judges: `confusions` holds their mean distributions."""

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Class truths by the prior."""
        return class_tasks(size, self.about, rng, given)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """A Dirichlet draw an answer, as gamma draws over their sum."""
        assert self.confusions is not None
        mean = self.confusions[annotator, tasks.truth[task]]
        mass = rng.standard_gamma(self.parameters["concentration"][annotator, None] * mean)
        total = mass.sum(axis=1, keepdims=True)
        # Tiny shapes can underflow to no mass at all: the mean stands in.
        return Said(np.where(total > 0, mass / np.where(total > 0, total, 1), mean).astype(np.float32))


RECIPE = Recipe("soft", "soft", "distributions, as LLM judges give: Dirichlet around a confusion row", build)
