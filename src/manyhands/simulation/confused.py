"""Annotators who are a confusion matrix each, whatever the task: most crowds are made of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..annotations import Names
from .categorical import RowDraws, class_tasks
from .people import People, Said, Tasks
from .size import Size

__all__ = ["Confused"]


@dataclass(frozen=True, kw_only=True)
class Confused(People):
    """Labels drawn from row (annotator, truth) of a stack of matrices."""

    @classmethod
    def of(
        cls, about: Size, confusions: np.ndarray, parameters: Mapping[str, np.ndarray], kind: str = "class"
    ) -> Confused:
        """From the matrices [R, K, K]; accuracy is their diagonal under the class prior."""
        return cls(
            kind=kind,
            classes=Names.range(about.n_classes),
            confusions=confusions,
            accuracy=np.einsum("jkk,k->j", confusions, about.prior),
            parameters=parameters,
            about=about,
        )

    @cached_property
    def _draws(self) -> RowDraws:
        assert self.confusions is not None
        return RowDraws.of(self.confusions)

    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Class truths by the prior."""
        return class_tasks(size, self.about, rng, given)

    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """One draw an answer."""
        row = annotator * np.int64(self.about.n_classes) + tasks.truth[task]
        return Said(self._draws(row, rng.random(len(row))))
