"""The median of the answers to each task."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import NumberVotes, number_votes
from ..channels.counting import Scatter, medians, scatter
from ..results import Evidence, NoEvidence
from ..results.posterior import NumberPosterior
from .counted import Counted

__all__ = ["Median"]


class Median(Counted):
    r"""The median, with a standard error from the answers' spread about it, pooled over tasks.

    Wild answers do it no harm; it wants three answers a task or more.

    >>> from manyhands import Annotations, Median
    >>> Median().fit_predict(Annotations.from_matrix([[1.0, 3.0, 90.0]], kind="number")).tolist()
    [3.0]
    """

    name: ClassVar[str] = "median"
    kinds: ClassVar[tuple[str, ...]] = ("number",)

    def _sums(self, labels: Annotations) -> Scatter:
        return scatter(number_votes(labels))

    def _evidence(self, sums: Scatter) -> NoEvidence:
        return NoEvidence("median")

    def _posterior(self, evidence: Evidence, sums: Scatter, labels: Annotations) -> NumberPosterior:
        return NumberPosterior(*medians(number_votes(labels), sums))

    def _votes(self, labels: Annotations) -> NumberVotes:
        return number_votes(labels)
