"""Sets of labels that go together, seen with a sensitivity and a specificity."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ...annotations import Names
from ..bounds import chance, interval
from ..people import People, Said, Tasks
from ..recipe import Recipe
from ..size import Size

__all__ = ["RECIPE", "build"]


def build(
    size: Size,
    rng: np.random.Generator,
    *,
    prevalence: tuple[float, float] = (0.1, 0.5),
    correlation: float = 0.4,
    sensitivity: tuple[float, float] = (0.6, 0.95),
    specificity: tuple[float, float] = (0.8, 0.98),
) -> Sets:
    """Each of n_classes labels is in the truth or not; one hidden factor moves them together.

    Features, where asked for, scatter about the sum of the means of the labels that are there.

    Options:
        prevalence: the (low, high) share of tasks that have a label.
        correlation: how far the factor decides (0: labels independent); the sign of each label's
            `loading` on it is random, so labels attract or repel one another.
        sensitivity, specificity: (low, high) of p(yes | yes) and p(no | no), drawn for each
            annotator and label.
    """
    shape = (size.n_annotators, size.n_classes)
    frequency = rng.uniform(*interval("prevalence", prevalence), size.n_classes)
    sign = rng.choice([-1.0, 1.0], size.n_classes)
    loading = sign * np.sqrt(chance("correlation", correlation))
    sees = rng.uniform(*interval("sensitivity", sensitivity), shape)
    rejects = rng.uniform(*interval("specificity", specificity), shape)
    known = {"prevalence": frequency, "loading": loading, "sensitivity": sees, "specificity": rejects}
    return Sets(
        about=size,
        kind="set",
        classes=Names.range(size.n_classes),
        confusions=_pooled(frequency, sees, rejects),
        accuracy=sees @ frequency / size.n_classes + rejects @ (1 - frequency) / size.n_classes,
        parameters=known,
    )


@dataclass(frozen=True, kw_only=True)
class Sets(People):
    """Annotators who answer yes or no for every label."""

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Labels where a Gaussian, part shared and part its own, lies below the label's threshold."""
        frequency, loading = self.parameters["prevalence"], self.parameters["loading"]
        own = rng.standard_normal((size, len(frequency))) * np.sqrt(1 - loading**2)
        latent = rng.standard_normal((size, 1)) * loading + own
        member = (latent < _thresholds(frequency)).astype(np.int32)
        gaussians = self.about.gaussians
        features = None if gaussians is None else gaussians.draw_sets(member, rng)
        return Tasks(member.ravel(), features=features)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """A 0 / 1 row an answer."""
        sees, rejects = self.parameters["sensitivity"], self.parameters["specificity"]
        truth = tasks.truth.reshape(-1, sees.shape[1])[task]
        yes = np.where(truth == 1, sees[annotator], 1 - rejects[annotator])
        return Said((rng.random(yes.shape) < yes).astype(np.int8))


def _thresholds(frequency: np.ndarray) -> np.ndarray:
    ends = {0.0: -np.inf, 1.0: np.inf}
    return np.array([ends.get(p, 0.0) if p in ends else NormalDist().inv_cdf(p) for p in frequency.tolist()])


def _pooled(frequency: np.ndarray, sees: np.ndarray, rejects: np.ndarray) -> np.ndarray:
    """[R, 2, 2] over all labels: the row of yes weighs a label by how often it is there."""
    yes, no = (w / w.sum() if w.sum() else np.full(len(w), 1 / len(w)) for w in (frequency, 1 - frequency))
    hit, rejected = sees @ yes, rejects @ no
    rows = np.stack([rejected, 1 - rejected], 1), np.stack([1 - hit, hit], 1)
    return np.stack(rows, axis=1)


RECIPE = Recipe("sets", "set", "sets of labels that go together; sensitivity and specificity a label", build)
