"""Numbers: each annotator with a bias, a scale and a precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds import interval, positive
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    spread: float = 1.0,
    bias: float = 0.5,
    scale: tuple[float, float] = (0.8, 1.2),
    noise: tuple[float, float] = (0.2, 1.0),
) -> Numbers:
    """A label is scale_j z + bias_j + noise; z ~ N(0, spread^2), the noise has variance 1 / precision_j.

    Options:
        spread: the deviation of the truths.
        bias: the deviation of the annotators' biases.
        scale: the (low, high) factor that an annotator puts on the truth.
        noise: the (low, high) deviation of an annotator's noise.
    """
    n = size.n_annotators
    biases = rng.normal(0, positive("bias", bias, zero=True), n)
    scales = rng.uniform(*interval("scale", scale, -1e6, 1e6), n)
    deviations = rng.uniform(*interval("noise", noise, 1e-9, 1e6), n)
    known = {"bias": biases, "scale": scales, "precision": deviations**-2.0}
    return Numbers(
        about=size,
        kind="number",
        classes=None,
        confusions=None,
        accuracy=None,
        parameters=known,
        spread=positive("spread", spread),
    )


@dataclass(frozen=True, kw_only=True)
class Numbers(People):
    """Annotators who stretch, shift and blur a number."""

    spread: float

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Gaussian truths around 0."""
        return Tasks(rng.normal(0, self.spread, size) if given is None else given.astype(np.float64))

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """One Gaussian an answer."""
        known = self.parameters
        noise = rng.standard_normal(len(task)) * known["precision"][annotator] ** -0.5
        return Said(known["scale"][annotator] * tasks.truth[task] + known["bias"][annotator] + noise)


RECIPE = Recipe("numbers", "number", "numbers, with a bias, a scale and a precision each", build)
