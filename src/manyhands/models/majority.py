"""Majority vote, hard and soft."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import votes_of
from ..results import NoEvidence, Result
from ..results.posterior import Posterior
from .aggregator import Aggregator
from .checks import check_choice

__all__ = ["MajorityVote"]


class MajorityVote(Aggregator):
    r"""The class with most votes: $q_i(k) \propto \#\{n \in i: l_n = k\}$.

    voting: "soft" keeps the shares of votes; "hard" gives all to the winner, ties shared. The
        label of a tie is the first of the tied classes in class order, at a confidence that
        shows it.

    The baseline of all baselines. Use it where every annotator is about as good as the next.

    >>> from manyhands import Annotations, MajorityVote
    >>> labels = Annotations.from_matrix([[0, 1, 1], [0, 0, -1]])
    >>> MajorityVote().fit_predict(labels).tolist()
    [1, 0]
    """

    name: ClassVar[str] = "majority"
    sums: ClassVar[bool] = True

    def __init__(self, *, voting: str = "soft"):
        self.voting = voting

    def _learn(self, labels: Annotations, start: Posterior | None) -> Result:
        check_choice(self, voting=("soft", "hard"))
        evidence = NoEvidence(self.voting)
        return Result(self.name, labels, evidence.infer(votes_of(labels)), evidence, self._settings())
