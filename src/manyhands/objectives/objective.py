"""What a network and a channel are trained to: the choice, and what each may be combined with."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..channels.batch import Batch
from ..channels.module import ChannelModule, DirectModule, VoteModule
from ..errors import ParameterError

__all__ = ["OBJECTIVES", "EMMarginalObjective", "EMObjective", "JointObjective", "MarginalObjective",
           "MutualInformationObjective", "Objective", "objective_named"]  # fmt: skip

LEAST = 1e-6  # the prior chance of a class that nobody named


class Objective(ABC):
    """A loss over a batch: the negative log-likelihood, summed.

    What the network says (`log_truth`) are rows, [units, width], or of whole sentences the scores of a chain.
    has_rounds: whether soft targets are refreshed between rounds of epochs (the E-step).
    per_vote: whether these targets belong to votes, not to units.
    follows: whether it begins anew with every epoch, from what the network says by then.
    """

    name: ClassVar[str]
    has_rounds: ClassVar[bool] = False
    per_vote: ClassVar[bool] = False
    follows: ClassVar[bool] = False

    @abstractmethod
    def loss(self, log_truth: Any, channel: Any, batch: Batch, targets: Tensor | None) -> Tensor:
        """From what the network says of the truths (log f), the channel and the votes to a number to lower."""

    def begin(self, shares: Tensor) -> Objective:
        """The objective that knows these chances of the labelled units [units, classes]: first, shares of votes."""
        return self

    def truth_loss(self, log_truth: Any, channel: Any, batch: Batch, targets: Tensor) -> Tensor:
        """The network's share of the loss, where the channel was set in closed form."""
        raise NotImplementedError(f"{self.name} has no rounds")

    def expect(self, log_truth: Any, channel: Any, batch: Batch) -> Tensor:
        """The E-step: new soft targets."""
        raise NotImplementedError(f"{self.name} has no rounds")

    def check(self, channel: VoteModule) -> None:
        """Refuse a combination that has no meaning."""
        if not channel.is_probability and self.name != "marginal":
            raise ParameterError(
                f"objective={self.name!r} needs p(label | truth), but {type(channel).__name__} gives p(label | f) "
                f"whole: there is no posterior of the truth; use objective='marginal'"
            )


class MarginalObjective(Objective):
    r"""$\sum_n \log \sum_k f_k T_n[k]$: the truth drawn anew for every label."""

    name = "marginal"

    def loss(self, log_truth: Any, channel: ChannelModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """Every vote by itself."""
        if isinstance(channel, DirectModule) or not channel.is_probability:
            return -batch.total(channel.log_label(log_truth, batch))  # type: ignore[operator]
        return -batch.total((log_truth.index_select(0, batch.unit) + channel(batch)).logsumexp(dim=1))


class JointObjective(Objective):
    r"""$\sum_i \log \sum_k f_k \prod_n T_n[k]$: one truth a unit."""

    name = "joint"

    def loss(self, log_truth: Tensor, channel: ChannelModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """All votes of a unit together."""
        return -(log_truth + batch.per_unit(channel(batch))).logsumexp(dim=1).sum()


class MutualInformationObjective(Objective):
    r"""$1 + E \log r_{aa} - E_{a \ne b} r_{ab}$, $r_{ab} = \sum_c h_c(x_a) g_c(b) / p_c$: what x and votes share.

    h is the network, $g \propto p_c \prod_n T_n[c]$ what a unit's votes say, p the prior of the
    classes. It is a lower bound of the mutual information of features and votes, in nats (its KL
    form), and reaches it where r is the ratio of their joint chances to the product of both. Pairs
    are those of the batch; units without votes are in none.

    log_prior: [classes]; None is even. It begins as the mean share of votes and follows the network's
        mean: shares are biased by annotators who prefer a class, and a wrong prior bends the matrices.
    """

    name = "mutual-information"
    follows = True

    def __init__(self, log_prior: Tensor | None = None):
        self.log_prior = log_prior

    def begin(self, shares: Tensor) -> Objective:
        """The prior is the mean of the chances."""
        if not len(shares):
            return self
        return MutualInformationObjective(shares.double().mean(dim=0).clamp(min=LEAST).log().float())

    def loss(self, log_truth: Tensor, channel: ChannelModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """For as many votes as the batch has: the mean over votes is the objective itself."""
        told = torch.bincount(batch.unit, minlength=batch.n_units) > 0
        log_h = log_truth[told]
        if len(log_h) < 2:
            return log_truth.sum() * 0.0
        n_classes = log_h.shape[1]
        even = log_h.new_full((n_classes,), -math.log(n_classes))
        log_prior = even if self.log_prior is None else self.log_prior.to(log_h)
        log_g = (log_prior + batch.per_unit(channel(batch))[told]).log_softmax(dim=1) - log_prior
        alike = (log_h + log_g).logsumexp(dim=1).mean()
        ratios = log_h.exp() @ log_g.exp().T
        pairs = len(log_h) * (len(log_h) - 1)
        return ((ratios.sum() - ratios.diagonal().sum()) / pairs - alike - 1) * batch.weight_sum()


class EMObjective(Objective):
    r"""EM on the joint: $\sum_i \sum_k q_i(k) (\log f_k + \sum_n \log T_n[k])$, q held for a round."""

    name = "em"
    has_rounds = True

    def loss(self, log_truth: Tensor, channel: ChannelModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """Cross-entropy to the units' posteriors, of the network and of the channel."""
        assert targets is not None
        channel_part = (targets * batch.per_unit(channel(batch))).sum()
        return self.truth_loss(log_truth, channel, batch, targets) - channel_part

    def truth_loss(self, log_truth: Tensor, channel: Any, batch: Batch, targets: Tensor) -> Tensor:
        """The network's share."""
        return -(targets * log_truth).sum()

    def expect(self, log_truth: Tensor, channel: ChannelModule, batch: Batch) -> Tensor:
        r"""E-step: $q_i(k) \propto f_k \prod_n T_n[k]$."""
        return (log_truth + batch.per_unit(channel(batch))).softmax(dim=1)


class EMMarginalObjective(Objective):
    r"""EM on the marginal: $\sum_n \sum_k q_n(k) (\log f_k + \log T_n[k])$; a unit counts by its votes."""

    name = "em-marginal"
    has_rounds = True
    per_vote = True

    def loss(self, log_truth: Tensor, channel: ChannelModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """Cross-entropy to the votes' own posteriors."""
        assert targets is not None
        channel_part = batch.total((targets * channel(batch)).sum(dim=1))
        return self.truth_loss(log_truth, channel, batch, targets) - channel_part

    def truth_loss(self, log_truth: Tensor, channel: Any, batch: Batch, targets: Tensor) -> Tensor:
        """The network's share."""
        return -(batch.per_unit(targets) * log_truth).sum()

    def expect(self, log_truth: Tensor, channel: ChannelModule, batch: Batch) -> Tensor:
        r"""E-step: $q_n(k) \propto f_k T_n[k]$, the truth redrawn for every vote."""
        return (log_truth.index_select(0, batch.unit) + channel(batch)).softmax(dim=1)


OBJECTIVES: dict[str, Objective] = {
    o.name: o
    for o in (
        MarginalObjective(),
        JointObjective(),
        EMObjective(),
        EMMarginalObjective(),
        MutualInformationObjective(),
    )
}


def objective_named(name: str) -> Objective:
    """The objective of that name.

    >>> objective_named("joint").has_rounds
    False
    """
    if name not in OBJECTIVES:
        raise ParameterError(f"objective={name!r} must be one of {', '.join(map(repr, OBJECTIVES))}")
    return OBJECTIVES[name]
