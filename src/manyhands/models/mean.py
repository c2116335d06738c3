"""The mean of the answers to each task."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import number_votes
from ..channels.counting import means
from ..processes import total
from ..results import NoEvidence, Result
from ..results.posterior import NumberPosterior, Posterior
from .aggregator import Aggregator

__all__ = ["Mean"]


class Mean(Aggregator):
    r"""The mean, with a standard error from the answers' spread about it, pooled over tasks.

    The baseline for numbers.

    >>> from manyhands import Annotations, Mean
    >>> Mean().fit_predict(Annotations.from_matrix([[1.0, 3.0], [2.5, 2.5]], kind="number")).tolist()
    [2.0, 2.5]
    """

    name: ClassVar[str] = "mean"
    sums: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("number",)

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        evidence = NoEvidence("mean")
        return Result(
            self.name,
            labels,
            NumberPosterior(*means(number_votes(labels), total)),
            evidence,
            self._settings(),
        )
