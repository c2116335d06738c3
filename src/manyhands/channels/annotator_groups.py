"""Annotators in groups that share a matrix, by expected counts (Imamura, Sato and Sugiyama, 2018)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..errors import ParameterError
from .channel import FLOOR
from .group_start import count_clusters
from .sums import steady_sum

__all__ = ["AnnotatorGroups", "AnnotatorGroupsParams", "log_belonging"]


class AnnotatorGroupsParams(NamedTuple):
    r"""log_belonging: $\log r$, [annotators, groups]; log_shares: $\log \alpha$, [groups].

    log_matrices: $\log \beta$, [groups, labels, classes]. spoken: 1 for annotators with votes.
    """

    log_belonging: Tensor
    log_shares: Tensor
    log_matrices: Tensor
    spoken: Tensor


@dataclass(frozen=True)
class AnnotatorGroups:
    r"""An annotator is of one group m, and has its matrix $\beta_m$; the group is hidden.

    The counterpart, for EM over a class prior, of `Groups(per="annotator")`: the same variational
    bound, $\log T_j[k, l] = \sum_m r_j(m) \log \beta_m[k, l]$ less $KL(r_j \| \alpha)$ an annotator.

    n_groups: how many groups. smoothing: Dirichlet votes in every cell of $\alpha$ and $\beta$.
    """

    n_groups: int = 3
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        if self.n_groups < 1 or self.smoothing < 0:
            raise ParameterError(
                f"n_groups={self.n_groups!r} must be 1 or more, smoothing={self.smoothing!r} not negative"
            )

    def maximise(self, counts: Tensor, params: AnnotatorGroupsParams | None = None) -> AnnotatorGroupsParams:
        """Who is of which group, given the groups; then the groups. Neither lowers the bound."""
        spoken = (counts.sum(dim=(1, 2)) > 0).to(counts.dtype)
        if params is None:
            log_r = self._clustered(counts)
        else:
            log_r = log_belonging(counts, params.log_shares, params.log_matrices)
        r = log_r.exp() * spoken[:, None]
        prior = self.smoothing + FLOOR
        shares = r.sum(dim=0) + prior
        matrices = torch.einsum("jm,jlk->mlk", r, counts) + prior
        log_matrices = matrices.log() - matrices.sum(dim=1, keepdim=True).log()
        return AnnotatorGroupsParams(log_r, shares.log() - shares.sum().log(), log_matrices, spoken)

    def log_rows(self, params: AnnotatorGroupsParams) -> Tensor:
        """The mean of the groups' log matrices: rows sum to less than one where r is undecided."""
        return torch.einsum("jm,mlk->jlk", params.log_belonging.exp(), params.log_matrices)

    def log_prior(self, params: AnnotatorGroupsParams) -> float:
        r"""$-\sum_j KL(r_j \| \alpha)$ over those who spoke, and the Dirichlet terms."""
        divergence = params.log_belonging.exp() * (params.log_belonging - params.log_shares)
        logs = steady_sum(params.log_matrices) + steady_sum(params.log_shares)
        return (self.smoothing + FLOOR) * logs - steady_sum(divergence * params.spoken[:, None])

    def project(self, params: AnnotatorGroupsParams) -> AnnotatorGroupsParams:
        """Chances that sum to one."""
        return AnnotatorGroupsParams(
            _bounded(params.log_belonging, 1), _bounded(params.log_shares, 0),
            _bounded(params.log_matrices, 1), params.spoken,
        )  # fmt: skip

    def _clustered(self, counts: Tensor) -> Tensor:
        cluster = torch.from_numpy(count_clusters(counts.double().numpy(), self.n_groups))
        return torch.nn.functional.one_hot(cluster, self.n_groups).to(counts.dtype).clamp(min=FLOOR).log()


def log_belonging(counts: Tensor, log_shares: Tensor, log_matrices: Tensor) -> Tensor:
    r"""$\log r_j(m)$ with $r_j(m) \propto \alpha_m \prod \beta_m^{\text{counts}}$, [annotators, groups].

    counts: [annotators, labels, classes]; log_matrices: [groups, labels, classes].
    """
    return (log_shares + counts.flatten(1) @ log_matrices.flatten(1).T).log_softmax(dim=1)


def _bounded(logs: Tensor, dim: int) -> Tensor:
    logs = (logs - logs.logsumexp(dim=dim, keepdim=True)).clamp(min=math.log(FLOOR))
    return logs - logs.logsumexp(dim=dim, keepdim=True)
