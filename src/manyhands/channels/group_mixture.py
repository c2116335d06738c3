"""M groups with a share and a matrix each: what every kind of grouping stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .channel import FLOOR
from .confusion_module import diagonal_logits
from .module import ChannelModule
from .votes import Votes

if TYPE_CHECKING:
    from .groups import Groups

__all__ = ["GroupMixture"]

APART = 0.1  # deviation of the weights that tells groups apart where nobody calls `start`


class GroupMixture(ChannelModule):
    r"""$\alpha$ = softmax(mixing) [groups], $\beta$ = softmax(matrices) [groups, classes, labels]."""

    def __init__(self, spec: Groups, sizes: Sizes):
        super().__init__()
        self.spec, self.n_annotators = spec, sizes.n_annotators
        start = diagonal_logits(spec.diagonal, sizes.n_classes, sizes.n_labels)
        self.mixing = nn.Parameter(torch.zeros(spec.n_groups))
        self.matrices = nn.Parameter(start + APART * torch.randn(spec.n_groups, *start.shape))
        self.total = 0.0  # the weight of all votes

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes the prior is shared out over."""
        self.total = float(votes.in_all(np.array([votes.total]))[0])

    def log_shares(self) -> Tensor:
        r"""$\log \alpha$, [groups]."""
        return self.mixing.log_softmax(dim=0)

    def log_matrices(self) -> Tensor:
        r"""$\log \beta$, [groups, classes, labels]."""
        return self.matrices.log_softmax(dim=2)

    @torch.no_grad()
    def group_shares(self) -> Tensor:
        r"""$\alpha$, [groups]."""
        return self.log_shares().exp()

    @torch.no_grad()
    def group_confusions(self) -> Tensor:
        r"""$\beta$, [groups, classes, labels]."""
        return self.log_matrices().exp()

    def belongings(self) -> Tensor:
        """How likely each annotator is of each group, [annotators, groups]."""
        return self.log_shares().detach().exp().expand(self.n_annotators, -1)

    def confusions(self) -> Tensor:
        r"""$T_j = \sum_m p(m | j) \beta_m$."""
        return self.matrices_of(self.belongings())

    def know(self, evidence: Tensor) -> None:
        """Take note, after training, of what annotators' labels say of their groups."""

    @torch.no_grad()
    def evidence(self, log_truth: Tensor, batch: Batch) -> Tensor:
        r"""$\sum_n \log \sum_k f_k \beta_m[k, l_n]$ of annotators for groups, [annotators, groups].

        Sums: those of several batches, or of labels that annotators gave later, add up.
        """
        columns = self.log_matrices().permute(2, 0, 1)[batch.label]  # votes, groups, classes
        likelihood = (columns + log_truth[batch.unit][:, None, :]).logsumexp(dim=2)
        if batch.weight is not None:
            likelihood = likelihood * batch.weight[:, None]
        n = max(self.n_annotators, int(batch.annotator.max()) + 1 if len(batch.annotator) else 0)
        return likelihood.new_zeros(n, likelihood.shape[1]).index_add(0, batch.annotator, likelihood)

    @torch.no_grad()
    def memberships(self, evidence: Tensor) -> Tensor:
        r"""$p(m | j) \propto \alpha_m \prod_n \sum_k f_k \beta_m[k, l_n]$, [annotators, groups]."""
        return (self.log_shares() + evidence).softmax(dim=1)

    @torch.no_grad()
    def matrices_of(self, memberships: Tensor) -> Tensor:
        r"""$T_j = \sum_m p(m | j) \beta_m$, [annotators, classes, labels]."""
        return torch.einsum("jm,mkl->jkl", memberships, self.group_confusions())

    @torch.no_grad()
    def set_groups(self, mixing: Tensor, counts: Tensor) -> None:
        """From expected counts [groups] and [groups, classes, labels]."""
        mixing = mixing + self.spec.smoothing + FLOOR
        counts = counts + self.spec.smoothing + FLOOR
        self.mixing.copy_((mixing / mixing.sum()).log())
        self.matrices.copy_((counts / counts.sum(dim=2, keepdim=True)).log())

    def prior(self, batch: Batch) -> Tensor | None:
        """The Dirichlet prior's share for this batch."""
        if not self.spec.smoothing:
            return None
        logs = self.log_matrices().sum() + self.log_shares().sum()
        weight = batch.weight_sum()
        return logs * (-self.spec.smoothing * weight / (self.total or weight))
