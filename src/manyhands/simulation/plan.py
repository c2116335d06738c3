"""A crowd, its tasks and its seed: everything that decides what a chunk of tasks will hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..annotations.kinds.answers import smallest_codes
from .attendance import Redundancy, attend, turnout
from .people import People, Said, Tasks
from .pieces import Piece
from .recipe import Recipe
from .streams import CHUNK, stream

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """Makes chunk after chunk, each from streams of its own."""

    recipe: Recipe
    people: People
    n_tasks: int
    redundancy: Redundancy
    weights: np.ndarray  # [R] activity
    abstain_rate: float
    gold: float
    truth: np.ndarray | None
    seed: int
    names: bool

    @property
    def n_chunks(self) -> int:
        """How many chunks there are; the last may be short."""
        return -(-self.n_tasks // CHUNK)

    @cached_property
    def fixed(self) -> dict[str, np.ndarray]:
        """The parameters that all blocks share: of the annotators, the classes and their features."""
        about = self.people.about
        found = {"activity": self.weights}
        if self.recipe.has_classes:
            found["prior"] = about.prior
        if about.gaussians is not None:
            found["feature_means"] = about.gaussians.means
            found["feature_spread"] = np.array(about.gaussians.spread)
        return {**found, **self.people.parameters}

    def chunk(self, number: int) -> Piece:
        """The tasks from number * CHUNK on."""
        start, end = number * CHUNK, min((number + 1) * CHUNK, self.n_tasks)
        given = None if self.truth is None else self.truth[start:end]
        tasks = self.people.tasks(end - start, stream(self.seed, "tasks", number), given)
        counts = turnout(
            self.redundancy, end - start, self.people.n_annotators, stream(self.seed, "turnout", number)
        )
        annotator = attend(counts, self.weights, stream(self.seed, "attendance", number))
        task = np.repeat(np.arange(end - start, dtype=np.int32), counts)
        said = self.people.answers(tasks, task, annotator, stream(self.seed, "answers", number))
        values = self._with_abstentions(said, tasks, task, number)
        known = self._gold(start, end, number)
        return _piece(tasks, counts, annotator, said, values, known)

    def _with_abstentions(self, said: Said, tasks: Tasks, task: np.ndarray, number: int) -> np.ndarray:
        values = said.values
        if values.dtype == np.int64:
            assert self.people.classes is not None
            values = smallest_codes(values, len(self.people.classes))
        silent = stream(self.seed, "abstentions", number).random(len(task)) < self.abstain_rate
        if self.people.kind == "tags":
            assert tasks.units is not None
            silent = np.repeat(silent, tasks.units[task])
        values[silent] = np.nan if values.dtype.kind == "f" else -1
        return values

    def _gold(self, start: int, end: int, number: int) -> np.ndarray:
        """Which tasks have their truth attached: the share to the task, spread over the chunks."""
        count = round(self.gold * end) - round(self.gold * start)
        return stream(self.seed, "gold", number).permutation(end - start) < count


def _piece(
    tasks: Tasks, counts: np.ndarray, annotator: np.ndarray, said: Said, values: np.ndarray, gold: np.ndarray
) -> Piece:
    size = len(counts)
    units = np.full(size, len(tasks.truth) // max(size, 1)) if tasks.units is None else tasks.units
    sizes = {
        "task": np.ones(size, dtype=np.int64),
        "unit": units,
        "answer": counts,
        "value": counts if tasks.units is None else counts * units,
    }
    columns = {
        ("task", " gold"): gold,
        ("unit", " truth"): tasks.truth,
        ("answer", " annotator"): annotator,
        ("value", " label"): values,
        **{("task", name): column for name, column in tasks.parameters.items()},
        **{("answer", name): column for name, column in said.parameters.items()},
    }
    if tasks.features is not None:
        columns["task", " features"] = tasks.features
    return Piece(sizes, columns)
