"""Majority vote, hard and soft."""

from __future__ import annotations

from typing import ClassVar

from ..annotations import Annotations
from ..channels import Votes, votes_of
from ..results import NoEvidence
from .checks import check_choice
from .counted import Counted

__all__ = ["MajorityVote"]


class MajorityVote(Counted):
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

    def __init__(self, *, voting: str = "soft"):
        self.voting = voting

    def _sums(self, labels: Annotations) -> tuple[()]:
        return ()

    def _evidence(self, sums: tuple[()]) -> NoEvidence:
        return NoEvidence(self.voting)

    def _votes(self, labels: Annotations) -> Votes:
        return votes_of(labels)

    def _check(self) -> None:
        check_choice(self, voting=("soft", "hard"))
