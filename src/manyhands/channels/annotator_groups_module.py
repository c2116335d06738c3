"""Groups of annotators as a torch module: one group for all that an annotator says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .annotator_groups import log_belonging
from .batch import Batch, Sizes
from .group_mixture import GroupMixture
from .group_start import annotator_clusters
from .sparse import embedding
from .votes import Votes

if TYPE_CHECKING:
    from .groups import Groups

__all__ = ["AnnotatorGroupsModule"]

SURE = 3.0  # weight of an annotator's cluster at the start: not so sure that it could not change


class AnnotatorGroupsModule(GroupMixture):
    r"""$\log T_n[k] = \sum_m r_j(m) \log \beta_m[k, l_n]$, r = softmax(belonging) an annotator.

    r is the variational posterior of an annotator's group: see `Groups`. T is no probability of
    l (its rows sum to less than one where r is undecided): log-likelihoods are bounds.
    """

    answers: Tensor

    def __init__(self, spec: Groups, sizes: Sizes):
        super().__init__(spec, sizes)
        self.belonging = embedding(sizes.n_annotators, spec.n_groups)
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """Annotators by the clusters of the matrices that the soft majority gives them, then an M-step."""
        super().start(votes, shares)
        soft = shares.cpu().double().numpy()
        cluster = annotator_clusters(votes, soft, self.spec.n_groups)
        sure = SURE * torch.nn.functional.one_hot(torch.from_numpy(cluster), self.spec.n_groups)
        weight = soft[votes.unit] if votes.weight is None else soft[votes.unit] * votes.weight[:, None]
        counts = np.zeros((votes.n_annotators, votes.n_labels, soft.shape[1]))
        np.add.at(counts, (votes.annotator, votes.label), weight)
        self.answers.copy_(torch.from_numpy(votes.answers()))
        with torch.no_grad():
            self.belonging.weight.copy_(sure)
        self._take(torch.from_numpy(votes.in_all(counts)))

    def forward(self, batch: Batch) -> Tensor:
        """The mean of log beta's columns over an annotator's groups."""
        n_annotators, n_labels = len(self.answers), self.matrices.shape[2]
        columns = self.log_matrices().permute(2, 0, 1)  # labels, groups, classes
        if n_annotators * n_labels <= len(batch.label) and not self.belonging.sparse:
            table = torch.einsum("jm,lmk->jlk", self.belonging.weight.softmax(dim=1), columns)
            return nn.functional.embedding(batch.annotator * n_labels + batch.label, table.flatten(0, 1))
        belonging = self.belonging(batch.annotator).softmax(dim=1)
        return torch.bmm(belonging[:, None, :], columns[batch.label]).squeeze(1)

    @torch.no_grad()
    def belongings(self) -> Tensor:
        """R."""
        return self.belonging.weight.softmax(dim=1)

    def penalty(self, batch: Batch) -> Tensor | None:
        r"""$KL(r_j \| \alpha)$ of the annotators present, each shared out over its votes; the prior."""
        log_r = self.belonging(batch.annotator).log_softmax(dim=1)
        divergence = (log_r.exp() * (log_r - self.log_shares())).sum(dim=1)
        total = (divergence / self.answers[batch.annotator].clamp(min=1)).sum()
        prior = self.prior(batch)
        return total if prior is None else total + prior

    @torch.no_grad()
    def update(self, counts: Tensor) -> bool:
        """Closed form: r given the groups, then the groups given r; the bound never falls."""
        counts = counts.double()
        log_beta = self.log_matrices().double().permute(0, 2, 1)
        self.belonging.weight.copy_(log_belonging(counts, self.log_shares().double(), log_beta))
        self._take(counts)
        return True

    @torch.no_grad()
    def _take(self, counts: Tensor) -> None:
        """The groups' M-step; annotators without a vote count for no group."""
        r = self.belongings().double() * (counts.sum(dim=(1, 2)) > 0)[:, None]
        self.set_groups(r.sum(dim=0), torch.einsum("jm,jlk->mkl", r, counts))
