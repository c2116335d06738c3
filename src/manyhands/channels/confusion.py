"""Confusion matrices: T[j, k, l] free for every annotator (Dawid and Skene, 1979)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Sizes
from .channel import FLOOR
from .sums import steady_sum

if TYPE_CHECKING:
    from .confusion_module import ConfusionModule

__all__ = ["Confusion", "ConfusionParams", "normalised"]


class ConfusionParams(NamedTuple):
    """log_confusions: log T, [annotators, labels, classes]; log_shared: log G, [labels, classes].

    spoken: 1 for annotators with votes, else 0, [annotators].
    """

    log_confusions: Tensor
    log_shared: Tensor
    spoken: Tensor


@dataclass(frozen=True)
class Confusion:
    r"""A confusion matrix $T_j[k, l]$ for every annotator.

    right, wrong: Dirichlet counts before any vote: each row of every matrix starts with `right`
        votes for its own class and `wrong` shared out evenly over the others; a tuple has a number
        a class. Zero is maximum likelihood.
    shared: votes that every row borrows from the crowd's common matrix $G$. The penalty is
        $-s \sum_{jk} KL(G_k \| T_{jk})$: given G, each row is (counts + s G) / (n + s); given
        the rows, G is their geometric mean. Both are closed forms, so the objective never falls.
        Annotators without votes have no say in G. Training by gradient has N(0, 1 / s) on the logits.
    diagonal: the diagonal of the logits that training by gradient starts from.
    """

    right: float | tuple[float, ...] = 0.0
    wrong: float | tuple[float, ...] = 0.0
    shared: float = 0.0
    diagonal: float = 3.0

    def maximise(self, counts: Tensor, params: ConfusionParams | None = None) -> ConfusionParams:
        """Rows from counts; the common matrix from the rows before."""
        pseudo = self.pseudo(*counts.shape[1:])
        if params is None:
            pooled = counts.sum(dim=0) + pseudo + FLOOR
            log_shared = pooled.log() - pooled.sum(dim=0).log()
        else:
            log_shared = _geometric_mean(params)
        rows = counts + (pseudo + FLOOR + self.shared * log_shared.exp())
        spoken = (counts.sum(dim=(1, 2)) > 0).to(counts.dtype)
        return ConfusionParams(rows.log() - rows.sum(dim=1, keepdim=True).log(), log_shared, spoken)

    def log_rows(self, params: ConfusionParams) -> Tensor:
        """The matrices themselves."""
        return params.log_confusions

    def log_prior(self, params: ConfusionParams) -> float:
        """Dirichlet and common-matrix terms, up to a constant."""
        total = FLOOR * steady_sum(params.log_confusions)
        if self.right or self.wrong:
            total += steady_sum(self.pseudo(*params.log_shared.shape) * params.log_confusions)
        if self.shared:
            shared = params.log_shared.exp()
            divergence = (shared * (params.log_shared - params.log_confusions)).sum(dim=(1, 2))
            total -= self.shared * steady_sum(divergence * params.spoken)
        return total

    def project(self, params: ConfusionParams) -> ConfusionParams:
        """Rows that sum to one, none below the floor."""
        return ConfusionParams(
            normalised(params.log_confusions), normalised(params.log_shared), params.spoken
        )

    def build(self, sizes: Sizes) -> ConfusionModule:
        """The torch module to train."""
        from .confusion_module import ConfusionModule

        return ConfusionModule(self, sizes)

    def pseudo(self, n_labels: int, n_classes: int) -> Tensor:
        """The Dirichlet counts, [labels, classes]."""
        each = _a_class("wrong", self.wrong, n_classes) / max(n_labels - 1, 1)
        own = _a_class("right", self.right, n_classes)
        return each + (own - each) * torch.eye(n_labels, n_classes, dtype=torch.float64)


def _a_class(name: str, counts: float | tuple[float, ...], n_classes: int) -> Tensor:
    """Counts as one number a class, [classes]."""
    if isinstance(counts, tuple) and len(counts) != n_classes:
        raise ParameterError(
            f"{name}={counts!r} has {len(counts)} numbers, but there are {n_classes} classes: give one each, or one for all"
        )
    return torch.as_tensor(counts, dtype=torch.float64).expand(n_classes)


def _geometric_mean(params: ConfusionParams) -> Tensor:
    weight = params.spoken / params.spoken.sum().clamp(min=1)
    mean = (params.log_confusions * weight[:, None, None]).sum(dim=0)
    return mean - mean.logsumexp(dim=0)


def normalised(log_rows: Tensor) -> Tensor:
    """Rows [..., labels, classes] that sum to one over labels, nothing below the floor."""
    log_rows = log_rows - log_rows.logsumexp(dim=-2, keepdim=True)
    log_rows = log_rows.clamp(min=math.log(FLOOR))
    return log_rows - log_rows.logsumexp(dim=-2, keepdim=True)
