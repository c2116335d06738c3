"""What a crowd is made of: annotators who can be given tasks and asked for answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..annotations import Names
from .size import Size

__all__ = ["People", "Said", "Tasks"]


class Tasks(NamedTuple):
    """Some tasks: the truth of every unit, and what else is known of each task."""

    truth: np.ndarray  # [units]
    units: np.ndarray | None = None  # [tasks] how many units each has; None: equally many
    features: np.ndarray | None = None  # [tasks, D]
    parameters: Mapping[str, np.ndarray] = {}  # [tasks] each


class Said(NamedTuple):
    """Answers, as `Answers.values` has them, and what is known of each answer."""

    values: np.ndarray
    parameters: Mapping[str, np.ndarray] = {}  # [answers] each


@dataclass(frozen=True, kw_only=True)
class People(ABC):
    """The annotators of one crowd, drawn once.

    about: their number, and the prior and features of the tasks that they get.
    confusions: [R, K, K], p(label l | truth k, annotator j), averaged over tasks in
        expectation where it depends on the task; None where labels are no classes.
    accuracy: [R], how often j is right in expectation; None for numbers.
    """

    kind: str = "class"
    about: Size
    classes: Names | None
    confusions: np.ndarray | None
    accuracy: np.ndarray | None
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_annotators(self) -> int:
        """How many there are."""
        return self.about.n_annotators

    @abstractmethod
    def tasks(self, size: int, rng: np.random.Generator, given: np.ndarray | None = None) -> Tasks:
        """Draw so many tasks, with these truths if given."""

    @abstractmethod
    def answers(
        self, tasks: Tasks, task: np.ndarray, annotator: np.ndarray, rng: np.random.Generator
    ) -> Said:
        """What each annotator says about the task at the same place; tasks ascend."""
