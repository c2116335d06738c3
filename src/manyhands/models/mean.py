"""The mean of the answers to each task."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import NumberVotes, number_votes
from ..channels.counting import Scatter, means, scatter
from ..results import Evidence, NoEvidence
from ..results.posterior import NumberPosterior
from .counted import Counted

__all__ = ["Mean"]


class Mean(Counted):
    r"""The mean, with a standard error from the answers' spread about it, pooled over tasks.

    The baseline for numbers.

    >>> from manyhands import Annotations, Mean
    >>> Mean().fit_predict(Annotations.from_matrix([[1.0, 3.0], [2.5, 2.5]], kind="number")).tolist()
    [2.0, 2.5]
    """

    name: ClassVar[str] = "mean"
    kinds: ClassVar[tuple[str, ...]] = ("number",)

    def _sums(self, labels: Annotations) -> Scatter:
        return scatter(number_votes(labels))

    def _evidence(self, sums: Scatter) -> NoEvidence:
        return NoEvidence("mean")

    def _posterior(self, evidence: Evidence, sums: Scatter, labels: Annotations) -> NumberPosterior:
        return NumberPosterior(*means(number_votes(labels), sums))

    def _votes(self, labels: Annotations) -> NumberVotes:
        return number_votes(labels)
