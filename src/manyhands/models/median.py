"""The median of the answers to each task."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import number_votes
from ..channels.counting import medians
from ..processes import total
from ..results import NoEvidence, Result
from ..results.posterior import NumberPosterior, Posterior
from .aggregator import Aggregator

__all__ = ["Median"]


class Median(Aggregator):
    r"""The median, with a standard error from the answers' spread about it, pooled over tasks.

    Wild answers do it no harm; it wants three answers a task or more.

    >>> from manyhands import Annotations, Median
    >>> Median().fit_predict(Annotations.from_matrix([[1.0, 3.0, 90.0]], kind="number")).tolist()
    [3.0]
    """

    name: ClassVar[str] = "median"
    sums: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("number",)

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        evidence = NoEvidence("median")
        return Result(
            self.name,
            labels,
            NumberPosterior(*medians(number_votes(labels), total)),
            evidence,
            self._settings(),
        )
