"""What a network and a channel of numbers are trained to: the same choices as for classes."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ..channels.batch import Batch
from ..channels.number_module import NumberModule
from .objective import Objective

__all__ = ["NUMBER_OBJECTIVES", "NumberEM", "NumberJoint", "NumberMarginal"]


class NumberMarginal(Objective):
    r"""$\sum_n \log \int N(z; \mu, s^2) p(l_n | z) dz$: the truth drawn anew for every label."""

    name = "marginal"

    def loss(self, log_truth: Tensor, channel: NumberModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """Every vote by itself."""
        return -batch.total(channel.log_label(log_truth, batch))


class NumberJoint(Objective):
    r"""$\sum_i \log \int N(z; \mu_i, s^2) \prod_n p(l_n | z) dz$: one truth a task."""

    name = "joint"

    def loss(self, log_truth: Tensor, channel: NumberModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """All votes of a unit together."""
        return -channel.log_units(log_truth, batch).sum()


class NumberEM(Objective):
    r"""EM on the joint: $E_q [\log N(z; \mu, s^2) + \sum_n \log p(l_n | z)]$, q held for a round."""

    name = "em"
    has_rounds = True

    def loss(self, log_truth: Tensor, channel: NumberModule, batch: Batch, targets: Tensor | None) -> Tensor:
        """Of the network and of the channel."""
        assert targets is not None
        return self.truth_loss(log_truth, channel, batch, targets) - batch.total(
            channel.log_votes(targets, batch)
        )

    def truth_loss(self, log_truth: Tensor, channel: NumberModule, batch: Batch, targets: Tensor) -> Tensor:
        """The network's share: squared error to the posterior's mean."""
        far = (targets[:, 0] - log_truth[:, 0]) ** 2 + targets[:, 1]
        variance = log_truth[:, 1]
        return 0.5 * (far / variance + variance.log() + math.log(2 * math.pi)).sum()

    def expect(self, log_truth: Tensor, channel: NumberModule, batch: Batch) -> Tensor:
        """E-step: means and variances [units, 2]."""
        with torch.no_grad():
            return channel.expect(log_truth, batch)


NUMBER_OBJECTIVES: dict[str, Objective] = {o.name: o for o in (NumberMarginal(), NumberJoint(), NumberEM())}
