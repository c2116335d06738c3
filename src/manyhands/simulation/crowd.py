"""A simulated crowd: the labels, and everything that is usually hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import Annotations

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Crowd"]


@dataclass(frozen=True, eq=False, repr=False)
class Crowd:
    """Labels with their truth.

    Attributes:
        labels: what a method gets to see; known truths are attached for the share `gold`.
        truth: [units] class codes, numbers, or 0 / 1 for sets; the units of task i are
            labels.unit_offsets[i] to [i + 1].
        confusions: [R, K, K] p(label | truth, annotator), in expectation over tasks where it
            depends on the task; [R, 2, 2] over all labels for sets; None for numbers.
        accuracy: [R] how often each annotator is right in expectation; None for numbers.
        features: [tasks, D] where the crowd has them (n_features=, or one that needs them).
        parameters: whatever else was drawn, by name; an array a task or an answer where it
            belongs to those.

    >>> from manyhands.simulation import simulate
    >>> crowd = simulate("one-coin", n_tasks=100, n_annotators=7, redundancy=3)
    >>> crowd
    Crowd('one-coin', 100 tasks, 7 annotators, 300 answers)
    >>> crowd.frame().columns, crowd.truth_frame().columns
    (['task', 'annotator', 'label'], ['task', 'label'])
    """

    name: str
    labels: Annotations
    truth: np.ndarray
    confusions: np.ndarray | None
    accuracy: np.ndarray | None
    features: np.ndarray | None
    parameters: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        arrays = (self.truth, self.confusions, self.accuracy, self.features, *self.parameters.values())
        for array in arrays:
            if array is not None:
                array.flags.writeable = False

    @cached_property
    def gold(self) -> dict[Any, Any]:
        """Task to label, for the tasks whose truth is attached to the labels."""
        known = zip(self.labels.tasks, self.labels.truths(), strict=True)
        return {task: label for task, label in known if label is not None}

    def frame(self) -> pl.DataFrame:
        """A long polars frame of the labels: task, annotator, label."""
        return self.labels.to_frame()

    def truth_frame(self) -> pl.DataFrame:
        """A polars frame of the truth: task, label."""
        import polars as pl

        return pl.DataFrame([self.labels.tasks.to_series("task"), self._true_labels()])

    def _true_labels(self) -> pl.Series:
        import polars as pl

        labels = self.labels
        if labels.kind == "number":
            return pl.Series("label", self.truth)
        if labels.kind in ("tags", "set"):
            return pl.Series("label", replace(labels, truth=self.truth).truths(), strict=False)
        assert labels.classes is not None
        return labels.classes.to_series("label").gather(pl.Series(self.truth))

    def __repr__(self) -> str:
        sizes = self.labels
        return (
            f"Crowd({self.name!r}, {sizes.n_tasks} tasks, {sizes.n_annotators} annotators, "
            f"{sizes.n_answers} answers)"
        )
