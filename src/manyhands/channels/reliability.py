"""In earnest or at random: the channel of good and random labelers (Rodrigues et al., 2013)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Batch, Sizes
from .channel import FLOOR
from .module import ChannelModule
from .sparse import embedding

__all__ = ["Reliability", "ReliabilityModule"]


@dataclass(frozen=True)
class Reliability:
    r"""$T_j[k, l] = \phi_j [l = k] + (1 - \phi_j) / L$: an annotator is in earnest, or draws any label.

    A coin that cannot be worse than chance: there are random annotators here, no adversaries. Whether
    a vote was in earnest is a hidden variable of its own; given label and truth its chance is known.

    reliable: where $\phi$ starts. earnest, random: Beta counts before any vote; zero is maximum
        likelihood.
    """

    reliable: float = 0.8
    earnest: float = 0.0
    random: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.reliable < 1:
            raise ParameterError(f"reliable={self.reliable!r} must be above 0 and below 1")

    def build(self, sizes: Sizes) -> ReliabilityModule:
        """The torch module to train.

        >>> Reliability(0.7).build(Sizes(2, 3, 3)).confusions()[0, 0].double().numpy().round(2).tolist()
        [0.8, 0.1, 0.1]
        """
        return ReliabilityModule(self, sizes)


class ReliabilityModule(ChannelModule):
    """One number an annotator, the log-odds of phi."""

    def __init__(self, spec: Reliability, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        self.logit = embedding(sizes.n_annotators, 1)
        torch.nn.init.constant_(self.logit.weight, math.log(spec.reliable / (1 - spec.reliable)))

    def forward(self, batch: Batch) -> Tensor:
        """Chance of the label in earnest, and at random."""
        reliable = self.logit(batch.annotator).sigmoid()
        same = batch.label[:, None] == torch.arange(self.shape[0], device=batch.label.device)
        return (reliable * same + (1 - reliable) / self.shape[1]).clamp(min=FLOOR).log()

    @torch.no_grad()
    def in_earnest(self) -> Tensor:
        """p(in earnest | label = truth), [annotators]."""
        reliable = self.reliable().double()
        return reliable / (reliable + (1 - reliable) / self.shape[1])

    @torch.no_grad()
    def reliable(self) -> Tensor:
        """Phi, [annotators]."""
        return self.logit.weight.squeeze(1).sigmoid()

    def update(self, counts: Tensor) -> bool:
        """Closed form: the expected share of votes that were in earnest."""
        counts = counts.double()
        earnest = counts.diagonal(dim1=1, dim2=2).sum(dim=1) * self.in_earnest()
        random = (counts.sum(dim=(1, 2)) - earnest).clamp(min=0)
        spoken = counts.sum(dim=(1, 2)) + self.spec.earnest + self.spec.random > 0
        logit = (earnest + self.spec.earnest + FLOOR).log() - (random + self.spec.random + FLOOR).log()
        with torch.no_grad():
            self.logit.weight.copy_(
                torch.where(spoken, logit, self.logit.weight.squeeze(1).double())[:, None]
            )
        return True

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """T of every annotator."""
        reliable = self.reliable()[:, None, None]
        return reliable * torch.eye(*self.shape).to(reliable) + (1 - reliable) / self.shape[1]
