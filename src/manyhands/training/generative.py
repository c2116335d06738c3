"""The loop for networks with a model of the features: every task is learnt from, labelled or not."""

from __future__ import annotations

from torch import Tensor

from ..channels import Batch
from ..networks.generative import Generative
from ..objectives.objective import Objective
from .learner import Learner

__all__ = ["GenerativeLearner"]


class GenerativeLearner(Learner):
    r"""Lowers minus the evidence bound of features and votes, and `discriminative` times the marginal loss.

    The bound of task i: $\sum_z f_z (e_z(x) - \log K + \sum_n \log T_n[z] - \log f_z)$, e the network's
    `evidence`. The classes are even before x. `warm_up`: epochs over which the share of the features
    in it grows to all, so that the labels name the classes before these find a use of their own.
    """

    network: Generative
    by_itself = "a model of the features is trained"
    discriminative = 1.0
    warm_up = 0

    def compute_loss(self, units: Tensor, phase: Objective) -> tuple[Tensor, float]:
        """Of a batch, summed over tasks; the marginal loss counts as many tasks as have no votes, too."""
        if self._phase_name(len(self.history)) == "majority":
            return super().compute_loss(units, phase)
        x = self.features.rows(units)
        log_f, batch = self.log_truth(self._with_dropout(x)), self.data.batch(units, x)
        gold = log_f.new_zeros(())
        said = log_f
        if self.known is not None:
            said, gold = self.truth.given(log_f, self.known[units], self.channel)
        share = min(1.0, (len(self.history) + 1 - self.settings.majority_epochs) / max(self.warm_up, 1))
        told = phase.loss(said, self.channel, batch, None) + gold
        loss = self.discriminative * self.tasks_a_labelled * told - self.bound(log_f, x, batch, share)
        penalty = self.channel.penalty(batch)
        return loss if penalty is None else loss + penalty, float(len(units))

    def bound(self, log_f: Tensor, x: Tensor, batch: Batch, share: float) -> Tensor:
        """The evidence bound, summed over the tasks of the batch."""
        f = log_f.exp()
        each = share * (self.network.evidence(x) - log_f) + batch.per_unit(self.channel(batch))
        return (f * each).sum()

    @property
    def tasks_a_labelled(self) -> float:
        """All tasks over those with votes."""
        return len(self.data.counts) / max(int((self.data.counts > 0).sum()), 1)
