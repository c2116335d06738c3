"""One coin: an annotator is right with one probability, whatever the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Sizes
from .channel import FLOOR
from .sums import steady_sum

if TYPE_CHECKING:
    from .one_coin_module import OneCoinModule

__all__ = ["OneCoin", "OneCoinParams", "coin_rows"]


class OneCoinParams(NamedTuple):
    """logit: log-odds of being right, [annotators]; size: zeros, there for their shape [labels, classes]."""

    logit: Tensor
    size: Tensor


@dataclass(frozen=True)
class OneCoin:
    r"""$T_j[k, l] = p_j$ where l = k, else $(1 - p_j) / (K - 1)$.

    right, wrong: a Beta prior's counts of right and wrong answers. Zero is maximum likelihood.
    accuracy: where training by gradient starts, between 0 and 1.
    """

    right: float = 0.0
    wrong: float = 0.0
    accuracy: float = 0.8

    def __post_init__(self) -> None:
        if not 0 < self.accuracy < 1:
            raise ParameterError(f"accuracy={self.accuracy!r} must be above 0 and below 1")

    def maximise(self, counts: Tensor, params: OneCoinParams | None = None) -> OneCoinParams:
        """The share of right answers."""
        spoken = counts[:, : counts.shape[2]]  # "cannot say" is neither right nor wrong
        right = spoken.diagonal(dim1=1, dim2=2).sum(dim=1)
        wrong = (spoken.sum(dim=(1, 2)) - right).clamp(min=0)
        logit = (right + self.right + FLOOR).log() - (wrong + self.wrong + FLOOR).log()
        return OneCoinParams(logit, counts.new_zeros(counts.shape[1:]))

    def log_rows(self, params: OneCoinParams) -> Tensor:
        """Right and wrong spread out over labels and classes."""
        return coin_rows(params.logit, *params.size.shape)

    def log_prior(self, params: OneCoinParams) -> float:
        """Beta, up to a constant."""
        log_right = torch.nn.functional.logsigmoid(params.logit)
        log_wrong = torch.nn.functional.logsigmoid(-params.logit)
        return steady_sum((self.right + FLOOR) * log_right + (self.wrong + FLOOR) * log_wrong)

    def project(self, params: OneCoinParams) -> OneCoinParams:
        """Any log-odds will do."""
        return params

    def build(self, sizes: Sizes) -> OneCoinModule:
        """The torch module to train.

        >>> OneCoin(accuracy=0.9).build(Sizes(2, 3, 3)).confusions()[0, 0].double().numpy().round(2).tolist()
        [0.9, 0.05, 0.05]
        """
        from .one_coin_module import OneCoinModule

        return OneCoinModule(self, sizes)


def coin_rows(logit: Tensor, n_labels: int, n_classes: int) -> Tensor:
    """Log p(label | truth) of coins, [annotators, labels, classes].

    One class is always right. "Cannot say", a label more than there are classes, tells nothing.
    """
    if n_classes == 1:
        return logit.new_zeros(len(logit), n_labels, 1)
    right = torch.nn.functional.logsigmoid(logit)[:, None, None]
    wrong = (torch.nn.functional.logsigmoid(-logit) - torch.log(logit.new_tensor(n_classes - 1.0)))[
        :, None, None
    ]
    same = torch.eye(n_labels, n_classes, dtype=torch.bool)
    rows = torch.where(same, right, wrong)
    rows[:, n_classes:] = 0
    return rows
