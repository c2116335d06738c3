"""Difficulty of the task by competence of the annotator: LIA's channel (Platanios et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..errors import ParameterError
from .batch import Sizes
from .low_rank_module import LowRankModule

__all__ = ["LowRank"]

COMBINE = ("add", "product")


@dataclass(frozen=True)
class LowRank:
    r"""$T_{ij}[k, :]$ from $D_i = d(x_i)$ and $C_j = c(r_j)$, both [classes, labels, latent].

    combine: "add" is $\mathrm{softmax}_l \log \sum_m \exp(D + C)$, the published code's; "product" is
        $\mathrm{softmax}_l \sum_m D C$, the paper's.
    latent: the length of the inner product.
    embedding: c is linear on an embedding of this length an annotator, or on the annotators' own
        features where there are some: then annotators never seen have matrices too.
    hidden, activation: of the perceptron d.
    gamma: penalties $\frac{\alpha}{2} |C_j|^2$ and $\frac{\beta}{2} |D_i|^2$ with
        $\alpha = 4 \gamma$ and $\beta = \alpha$ (labels an annotator / labels a task): MMCE's $\gamma K^2$ of the two
        classes that the paper's crowds have. Of eight or ten classes, with few labels, $K^2$ leaves nothing of the
        labels: held-out answers are likelier with 4 (benchmarks/papers/lia_penalty.py). In a product D is
        penalised for its way from 1 / latent: at nought it would leave no competence.
    alpha, beta: these outright.
    diagonal: of the logits that training starts from; it is the bias of c.
    label_embedding: LIA-ML: d and c take an embedding of the label too, of this length; c adds what is linear in it
        to what is linear in the annotator. 0: the unit's features are taken as they are.
    by_task: LIA-E: the features are the tasks' numbers [tasks, 1], and d has an embedding of each.
    """

    combine: str = "add"
    latent: int = 1
    embedding: int = 16
    hidden: tuple[int, ...] = (16, 16, 16, 16)
    activation: str = "selu"
    gamma: float = 0.25
    alpha: float | None = None
    beta: float | None = None
    diagonal: float = 2.0
    by_task: bool = False
    label_embedding: int = 0

    def __post_init__(self) -> None:
        if self.combine not in COMBINE:
            raise ParameterError(f"combine={self.combine!r} must be one of {', '.join(map(repr, COMBINE))}")
        for name in ("latent", "embedding"):
            if not getattr(self, name) >= 1:
                raise ParameterError(f"{name}={getattr(self, name)!r} must be an integer of at least 1")

    def build(self, sizes: Sizes) -> LowRankModule:
        """The torch module to train.

        >>> LowRank().build(Sizes(5, 3, 3, n_features=2)).confusions().shape
        torch.Size([5, 3, 3])
        """
        return LowRankModule(self, sizes)

    def mix(self, difficulty: torch.Tensor, competence: torch.Tensor) -> torch.Tensor:
        """Log T [..., classes, labels] from both [..., classes, labels, latent]."""
        if self.combine == "product":
            return (difficulty * competence).sum(dim=-1).log_softmax(dim=-1)
        logits = difficulty + competence
        together = logits.squeeze(-1) if self.latent == 1 else logits.logsumexp(dim=-1)
        return together.log_softmax(dim=-1)
