"""Ability times easiness: GLAD, and SpeeLFC-D."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...annotations import Names
from ...errors import ParameterError
from ..bounds import positive
from ..categorical import class_tasks
from ..matrices import even_errors
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..sigmoid import sigmoid
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    ability: tuple[float, float] = (1.0, 1.0),
    log_easiness: tuple[float, float] = (1.0, 1.0),
) -> Difficulty:
    """p(right) = sigmoid(a_j b_i), errors even over the other classes.

    Options:
        ability: mean and deviation of the Gaussian a_j; below 0 is an adversary.
        log_easiness: mean and deviation of log b_i; a bigger b is an easier task, and b near 0
            makes everybody right half the time, whatever K.
    """
    a = rng.normal(*_moments("ability", ability), size.n_annotators)
    mean, spread = _moments("log_easiness", log_easiness)
    right = _mean_right(a, mean, spread)
    confusions = even_errors(right, size.n_classes)
    return Difficulty(
        classes=Names.range(size.n_classes),
        confusions=confusions,
        accuracy=confusions[:, 0, 0],
        parameters={"ability": a},
        about=size,
        log_easiness=(mean, spread),
    )


@dataclass(frozen=True, kw_only=True)
class Difficulty(People):
    """Annotators of an ability; tasks of an easiness."""

    log_easiness: tuple[float, float]

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Class truths by the prior; easiness log-normal."""
        tasks = class_tasks(size, self.about, rng, given)
        return tasks._replace(parameters={"easiness": np.exp(rng.normal(*self.log_easiness, size))})

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """Right by the sigmoid, else one of the others."""
        easiness, truth = tasks.parameters["easiness"][task], tasks.truth[task]
        right = rng.random(len(task)) < sigmoid(self.parameters["ability"][annotator] * easiness)
        n_classes = self.about.n_classes
        other = (truth + 1 + rng.integers(max(n_classes - 1, 1), size=len(task))) % n_classes
        return Said(np.where(right, truth, other))


def _mean_right(ability: np.ndarray, mean: float, spread: float) -> np.ndarray:
    """sigmoid(a b) averaged over b, by Gauss-Hermite quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(101)
    right: np.ndarray = sigmoid(np.outer(ability, np.exp(mean + spread * points))) @ weights
    right /= weights.sum()
    return right


def _moments(name: str, value: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not np.isfinite(value).all():
        raise ParameterError(f"{name}={value!r} must be a pair (mean, deviation) of finite numbers")
    return float(value[0]), positive(f"deviation of {name}", value[1], zero=True)


RECIPE = Recipe("difficulty", "class", "ability times easiness (GLAD): p(right) = sigmoid(a b)", build)
