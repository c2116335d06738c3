"""What a truth may be, a class or a number: all that training needs to know of the kind of label."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from torch import Tensor

from ..annotations import Annotations
from ..channels import Batch, Votes
from ..channels.module import VoteModule
from ..errors import ParameterError
from ..objectives.objective import Objective
from .units import Units
from .vote_data import VoteData

__all__ = ["Truth"]


class Truth(ABC):
    """Between labels and tensors, and between a network's outputs and what an objective takes.

    Beliefs of truths are rows, [units, width]: chances of classes, or a mean and a variance. What
    the network says of them (`log_truth`) has the same rows: log f, or a mean and a variance.
    `units` says what has one truth: the task, or each of its labels.
    """

    objectives: ClassVar[Mapping[str, Objective]]
    channels: ClassVar[tuple[str, type[VoteModule]]]  # of what, and their modules
    units: Units = Units()

    def __init__(self, labels: Annotations | None = None):
        self.labels = labels

    def objective(self, name: str) -> Objective:
        """The objective of that name, for truths of this sort."""
        if name not in self.objectives:
            known = ", ".join(map(repr, self.objectives))
            raise ParameterError(f"objective={name!r} must be one of {known}")
        return self.objectives[name]

    def check_channel(self, channel: VoteModule) -> None:
        """Refuse a channel of other truths."""
        of, kind = self.channels
        if not isinstance(channel, kind):
            raise ParameterError(
                f"channel: {type(channel).__name__} is no channel of {of}, which these labels are"
            )

    def among(self, labels: Annotations) -> Self:
        """What is known of labels, of those of all processes: these are the ones that are here."""
        return self

    @abstractmethod
    def votes(self, labels: Annotations, abstention: str) -> Votes:
        """The votes of a table as training takes them."""

    @abstractmethod
    def known(self, labels: Annotations) -> Tensor | None:
        """The table's known truths, [units]; None where it has none."""

    @abstractmethod
    def told(self, known: Tensor) -> Tensor:
        """Which units' truths are known."""

    @abstractmethod
    def start(self, votes: Votes, known: Tensor | None) -> Tensor:
        """The first belief: shares of votes, or means; known truths are certain."""

    @abstractmethod
    def read(self, outputs: Any, channel: VoteModule) -> Any:
        """What a network's outputs say of the truths."""

    @abstractmethod
    def distance(self, log_truth: Any, belief: Tensor) -> Tensor:
        """What plain training on a belief lowers, [units]."""

    @abstractmethod
    def given(self, log_truth: Any, known: Tensor, channel: VoteModule) -> tuple[Any, Tensor]:
        """Certainty where truths are known, and the cost of the network's not saying them."""

    @abstractmethod
    def belief(self, log_truth: Tensor) -> Tensor:
        """What is believed, from what the network says."""

    def rows(self, said: Any) -> Tensor:
        """What the network says of the truths as rows, [units, width], whatever shape `read` gave it."""
        return said

    def first_targets(self, belief: Tensor, votes: Votes) -> Tensor:
        """EM's soft targets from the first belief, which breaks the symmetry of the classes."""
        return belief

    def beliefs(self, targets: Tensor) -> Tensor:
        """The belief in EM's soft targets."""
        return targets

    def expect(
        self,
        phase: Objective,
        said: Any,
        channel: VoteModule,
        batch: Batch,
        known: Tensor | None,
        shares: Tensor,
    ) -> Tensor:
        """The E-step of a batch; where truths are known (shares say them for certain), nothing else is believed."""
        targets = phase.expect(said, channel, batch)
        if known is not None:
            told = self.told(known)
            told, shares = (told[batch.unit], shares[batch.unit]) if phase.per_vote else (told, shares)
            targets[told] = shares[told]
        return targets

    @abstractmethod
    def statistics(self, belief: Tensor, data: VoteData, said: Tensor | None) -> Tensor:
        """What a closed-form M-step needs, summed by annotator, from a belief a vote.

        said: what the network said of every unit when that was believed; None before it was trained.
        """
