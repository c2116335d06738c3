"""CMM's channel as torch modules: the group drawn anew for every annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .group_mixture import GroupMixture
from .group_start import pair_clusters
from .perceptron import perceptron
from .task_sample import TaskSample
from .votes import Votes

if TYPE_CHECKING:
    from .groups import Groups

__all__ = ["GatedGroupsModule", "GroupsModule"]


class GroupsModule(GroupMixture):
    r"""$T[k, l] = \sum_m \alpha_m \beta_m[k, l]$, the same for every annotator.

    known: what annotators' labels said about their groups (`evidence` of all of them), for
    matrices of single annotators; it takes no part in training. Noughts: nothing is known, and
    all have the crowd's matrix.
    """

    known: Tensor

    def __init__(self, spec: Groups, sizes: Sizes):
        super().__init__(spec, sizes)
        self.register_buffer("known", torch.zeros(sizes.n_annotators, spec.n_groups))

    def start(self, votes: Votes, shares: Tensor) -> None:
        """An M-step from the soft majority and the clusters of (task, label) pairs."""
        super().start(votes, shares)
        soft = shares.cpu().double().numpy()
        cluster = pair_clusters(votes, soft, self.spec.n_groups)
        weight = soft[votes.unit] if votes.weight is None else soft[votes.unit] * votes.weight[:, None]
        counts = np.zeros((self.spec.n_groups, votes.n_labels, soft.shape[1]))
        np.add.at(counts, (cluster, votes.label), weight)
        self._take(torch.from_numpy(votes.in_all(counts)).transpose(1, 2))

    def forward(self, batch: Batch) -> Tensor:
        """A row of one table."""
        return nn.functional.embedding(batch.label, self.log_overall().T)

    def log_overall(self) -> Tensor:
        r"""$\log B = \log \sum_m \alpha_m \beta_m$, [classes, labels]: all that votes can tell."""
        return (self.log_shares()[:, None, None] + self.log_matrices()).logsumexp(dim=0)

    @torch.no_grad()
    def overall_confusion(self) -> Tensor:
        """B, the crowd's matrix, [classes, labels]."""
        return self.log_overall().exp()

    def belongings(self) -> Tensor:
        """From what is known of each annotator."""
        return self.memberships(self.known)

    def know(self, evidence: Tensor) -> None:
        """For `confusions`: training has no use for it."""
        self.known.copy_(evidence)

    def penalty(self, batch: Batch) -> Tensor | None:
        """The Dirichlet prior."""
        return self.prior(batch)

    @torch.no_grad()
    def update(self, counts: Tensor) -> bool:
        """Closed form (eq. 6): p(m | k, l) is all that an E-step adds to the counts."""
        joint = (self.log_shares()[:, None, None] + self.log_matrices()).double()
        self._take(counts.sum(dim=0).T.double() * joint.softmax(dim=0))
        return True

    def _take(self, counts: Tensor) -> None:
        self.set_groups(counts.sum(dim=(1, 2)), counts)


class GatedGroupsModule(GroupsModule):
    r"""A mixture of experts: $T_n[k] = \sum_m \alpha_m(x) \beta_m[k, l]$; by gradient.

    The gate adds to the weights of $\alpha$, and starts near nothing.
    """

    def __init__(self, spec: Groups, sizes: Sizes):
        super().__init__(spec, sizes)
        self.gate = perceptron("Groups(gate='features')", sizes, spec.hidden, spec.n_groups, "relu")
        self.tasks = TaskSample(sizes)
        last = self.gate[-1]
        assert isinstance(last, nn.Linear)
        with torch.no_grad():
            last.weight.mul_(0.1)
            last.bias.zero_()

    def start(self, votes: Votes, shares: Tensor) -> None:
        """The same, and the shares of the tasks to average over."""
        super().start(votes, shares)
        self.tasks.start(shares)

    def forward(self, batch: Batch) -> Tensor:
        """Every task's own shares of the groups."""
        if self.training:
            self.tasks.keep(batch)
        shares = self.log_gates(batch.features).index_select(0, batch.unit)
        columns = self.log_matrices().permute(2, 0, 1)[batch.label]
        return (columns + shares[:, :, None]).logsumexp(dim=1)

    def log_gates(self, features: Tensor) -> Tensor:
        r"""$\log \alpha_m(x)$, [tasks, groups]."""
        return (self.mixing + self.gate(features)).log_softmax(dim=1)

    def log_overall(self) -> Tensor:
        """B averaged over a sample of tasks, row k over tasks likely of class k."""
        mean = self.tasks.weights.T @ self._gates()
        return torch.einsum("km,mkl->kl", mean, self.log_matrices().exp()).log()

    @torch.no_grad()
    def group_shares(self) -> Tensor:
        """The mean over the sample."""
        return self._gates().mean(dim=0)

    @torch.no_grad()
    def memberships(self, evidence: Tensor) -> Tensor:
        r"""With the mean of $\alpha(x)$ as what is known beforehand."""
        return (self.group_shares().log() + evidence).softmax(dim=1)

    def update(self, counts: Tensor) -> bool:
        """The gate has no closed form."""
        return False

    def _gates(self) -> Tensor:
        training = self.training
        self.eval()
        gates = self.log_gates(self.tasks.rows).exp()
        self.train(training)
        return gates
