"""A batch of questions: who is to be asked what, and what that is expected to tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import Names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Assignment"]


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """A batch of questions: task and annotator [questions] are codes; gain in nats (numbers: variance).

    exact: whether it is the greedy choice among all pairs; else only the most doubtful tasks were
        looked at, and no pair that was left out gains more for its cost than `ceiling`.
    n_open, n_closed: tasks that may be asked about, and those that are settled.
    """

    tasks: Names
    annotators: Names
    task: np.ndarray
    annotator: np.ndarray
    gain: np.ndarray
    cost: np.ndarray
    exact: bool
    ceiling: float
    n_open: int
    n_closed: int

    def __len__(self) -> int:
        return len(self.task)

    @property
    def done(self) -> bool:
        """Whether every task is settled."""
        return self.n_open == 0

    def frame(self) -> pl.DataFrame:
        """Task, annotator, gain, cost: one question a row, the best first."""
        import polars as pl

        named = (("task", self.tasks, self.task), ("annotator", self.annotators, self.annotator))
        columns = [names.to_series(name).gather(codes) for name, names, codes in named]
        return pl.DataFrame([*columns, pl.Series("gain", self.gain), pl.Series("cost", self.cost)])

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "questions": len(self), "cost": float(self.cost.sum()), "gain": float(self.gain.sum()),
            "exact": self.exact, "ceiling": self.ceiling, "open": self.n_open, "settled": self.n_closed,
        }  # fmt: skip

    def __repr__(self) -> str:
        exact = "exact" if self.exact else "pruned"
        return (
            f"Assignment({len(self)} questions, {exact}, {self.n_open} tasks open, {self.n_closed} settled)"
        )
