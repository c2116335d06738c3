"""The loss alone, for whoever owns the training loop: plain torch, Lightning, a Hugging Face trainer."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..annotations import Annotations
from ..channels import Batch, Sizes, votes_of
from ..channels.module import ChannelModule
from ..errors import ParameterError
from ..objectives.objective import objective_named
from ..objectives.start import starting_shares
from .vote_data import VoteData

__all__ = ["CrowdLoss"]


class CrowdLoss(nn.Module):
    """`loss(logits, batch)`: the negative log-likelihood a vote; its channel is learnt with the network.

    channel: a specification from `manyhands.channels`, or a module that one has built.
    objective: "joint", "marginal", "em", "em-marginal" or "mutual-information". In EM, targets that are not
        given are taken anew from each batch; `expect` gives them for holding over a round.
    labels: the table. A batch is then just the numbers of its tasks, as a Dataset that returns
        (features, number) has them. Without it give the sizes, and batches of votes.
    sparse: let large tables have sparse gradients: quicker, but only SparseAdam and SGD take them.

    The parameters of the channel are this module's: give them to the optimiser too.

    >>> from manyhands import CrowdLoss, simulate
    >>> from manyhands.channels import Confusion
    >>> crowd = simulate("confusion", n_tasks=100, n_annotators=5, n_features=2, seed=0)
    >>> loss = CrowdLoss(Confusion(), "joint", crowd.labels)
    >>> bool(loss(torch.zeros(8, 3), torch.arange(8)) > 0)
    True
    """

    def __init__(
        self,
        channel: Any,
        objective: str = "joint",
        labels: Annotations | None = None,
        *,
        n_annotators: int | None = None,
        n_classes: int | None = None,
        n_features: int = 0,
        abstention: str = "ignore",
        sparse: bool = False,
    ):
        super().__init__()
        self.objective = objective_named(objective)
        self._votes = None if labels is None else votes_of(labels, abstention)
        self._data: dict[str, VoteData] = {}
        self.channel = self._built(channel, labels, n_annotators, n_classes, n_features)
        self.objective.check(self.channel)
        if self._votes is not None:
            shares = starting_shares(self._votes)
            self.channel.start(self._votes, shares)
            self.objective = self.objective.begin(shares[np.unique(self._votes.unit)])
        for table in self.channel.modules():
            if isinstance(table, nn.Embedding):
                table.sparse = table.sparse and sparse

    def forward(
        self, logits: Tensor, batch: Any, features: Tensor | None = None, targets: Any = None
    ) -> Tensor:
        """From the network's logits [tasks, classes] to a number to lower.

        batch: numbers of tasks; or (task, annotator, label) or (task, annotator, label, weight), a
            row a vote, with the task's row in `logits`, ascending.
        features: what the network saw, for channels that depend on it, [tasks, features].
        """
        log_truth, votes = logits.float().log_softmax(dim=1), self.batch(batch, len(logits), features)
        if self.objective.has_rounds and targets is None:
            targets = self._expect(log_truth, votes)
        loss = self.objective.loss(log_truth, self.channel, votes, targets)
        penalty = self.channel.penalty(votes)
        total = loss if penalty is None else loss + penalty
        return total / votes.weight_sum().to(total).clamp(min=1.0)

    def expect(self, logits: Tensor, batch: Any, features: Tensor | None = None) -> Tensor:
        """The E-step: p(truth | x, votes) of the batch's tasks, or of its votes for "em-marginal"."""
        return self._expect(logits.float().log_softmax(dim=1), self.batch(batch, len(logits), features))

    def confusions(self) -> Tensor:
        """The annotators' matrices, [annotators, classes, labels]."""
        return self.channel.confusions()

    def batch(self, given: Any, n: int, features: Tensor | None = None) -> Batch:
        """The votes of a batch of n tasks, as channels take them."""
        if isinstance(given, Batch):
            return given if features is None else given._replace(features=features)
        if isinstance(given, Tensor):
            return self._of_tasks(given, n, features)
        if not isinstance(given, (tuple, list)) or len(given) not in (3, 4):
            raise ParameterError(
                f"batch is a {type(given).__name__}: give the numbers of its tasks, or (task, annotator, label)"
            )
        unit, annotator, label = given[:3]
        _check_rows(unit, n)
        weight = given[3] if len(given) == 4 else None
        return Batch(unit, annotator, label, weight, torch.arange(n, device=unit.device), features)

    def _of_tasks(self, tasks: Tensor, n: int, features: Tensor | None) -> Batch:
        if self._votes is None:
            raise ParameterError(
                "batch holds numbers of tasks, but CrowdLoss was made without labels=: give them"
            )
        if len(tasks) != n:
            raise ParameterError(
                f"batch has {len(tasks)} tasks, but there are {n} rows of logits: give one each"
            )
        if n and not 0 <= int(tasks.min()) <= int(tasks.max()) < self._votes.n_units:
            raise ParameterError(f"tasks are numbered 0 to {self._votes.n_units - 1}, not {int(tasks.max())}")
        where = str(tasks.device)
        if where not in self._data:
            self._data[where] = VoteData(self._votes, tasks.device)
        return self._data[where].batch(tasks, features)

    @torch.no_grad()
    def _expect(self, log_truth: Tensor, votes: Batch) -> Tensor:
        objective = self.objective if self.objective.has_rounds else objective_named("em")
        objective.check(self.channel)
        return objective.expect(log_truth.detach(), self.channel, votes)

    def _built(
        self,
        channel: Any,
        labels: Annotations | None,
        n_annotators: int | None,
        n_classes: int | None,
        n_features: int,
    ) -> ChannelModule:
        if isinstance(channel, ChannelModule):
            return channel
        if not hasattr(channel, "build"):
            raise ParameterError(
                f"channel={channel!r} must be a specification from manyhands.channels, or its module"
            )
        if labels is None or self._votes is None:
            if n_annotators is None or n_classes is None:
                raise ParameterError("give labels=, or n_annotators= and n_classes=")
            return channel.build(Sizes(n_annotators, n_classes, n_classes, n_features))
        described = labels.annotator_features
        about = None if described is None else torch.from_numpy(described.copy())
        sizes = Sizes(
            labels.n_annotators,
            self._votes.n_labels,
            self._votes.n_classes,
            n_features,
            labels.n_units,
            about,
        )
        return channel.build(sizes)


def _check_rows(unit: Tensor, n: int) -> None:
    if len(unit) and (int(unit.min()) < 0 or int(unit.max()) >= n or bool((unit.diff() < 0).any())):
        raise ParameterError(
            f"the tasks of the votes must be rows of logits, 0 to {n - 1}, in ascending order: sort votes by task"
        )
