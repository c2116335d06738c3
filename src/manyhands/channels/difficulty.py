"""Ability x easiness(x): SpeeLFC-D's channel (Chen et al., 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Batch, Sizes
from .module import ChannelModule
from .one_coin_module import coin_columns
from .perceptron import perceptron
from .sparse import embedding
from .task_sample import TaskSample
from .votes import Votes

__all__ = ["Difficulty", "DifficultyModule"]


@dataclass(frozen=True)
class Difficulty:
    r"""$p(\mathrm{right}) = \sigma(a_j b_i)$, $b_i = \lambda_1 + \lambda_2 \sigma(g(x_i))$; errors fall evenly.

    hidden, dropout: of the perceptron g.
    ability: where every a_j starts; a negative one is an adversary's, and is learnt.
    least, spread: $\lambda_1, \lambda_2$. Only the product a b is identified, so these scales say how fast a
        step of the optimiser moves it. The paper's (.028, .001, 100) are for steps of 1e-4; these, for
        common ones, start at the same a b = 1.4. A bigger b is an easier task.

    A task that nobody can do has p(right) = 1/2, not 1/K: for many classes, too high.
    """

    hidden: tuple[int, ...] = (128,)
    dropout: float = 0.5
    ability: float = 1.4
    least: float = 2e-5
    spread: float = 2.0

    def __post_init__(self) -> None:
        for name in ("least", "spread"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"{name}={getattr(self, name)!r} must be above 0: easiness is positive")

    def build(self, sizes: Sizes) -> DifficultyModule:
        """The torch module to train."""
        return DifficultyModule(self, sizes)


class DifficultyModule(ChannelModule):
    """A table of abilities and the network of easinesses."""

    def __init__(self, spec: Difficulty, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        self.network = perceptron("Difficulty", sizes, spec.hidden, 1, "relu", spec.dropout)
        self.ability = embedding(sizes.n_annotators, 1)
        torch.nn.init.constant_(self.ability.weight, spec.ability)
        self.tasks = TaskSample(sizes)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """What the tasks of the sample are likely to be."""
        self.tasks.start(shares)

    def forward(self, batch: Batch) -> Tensor:
        """A coin whose log-odds are a b."""
        if self.training:
            self.tasks.keep(batch)
        easiness = self.easiness(batch.features)[batch.unit]
        return coin_columns(self.ability(batch.annotator).squeeze(1) * easiness, batch.label, self.shape[0])

    def easiness(self, features: Tensor) -> Tensor:
        """The b of these tasks, [tasks]: of meaning only beside an ability."""
        logit: Tensor = self.network(features).squeeze(1)
        return self.spec.least + self.spec.spread * logit.sigmoid()

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """Matrices averaged over a sample of tasks, row k over tasks likely of class k."""
        right = self._right()
        n_classes, n_labels = self.shape
        others = (1 - right) / max(n_classes - 1, 1)
        rows = others[:, :, None].repeat(1, 1, n_labels)
        rows.diagonal(dim1=1, dim2=2).copy_(right)
        rows[:, :, n_classes:] = 1 / n_labels  # "cannot say" tells nothing
        return rows / rows.sum(dim=2, keepdim=True)

    def _right(self) -> Tensor:
        """p(right) by annotator and class."""
        training = self.training
        self.eval()
        easiness = self.easiness(self.tasks.rows)
        self.train(training)
        parts = [(a * easiness).sigmoid() @ self.tasks.weights for a in self.ability.weight.split(4096)]
        return torch.cat(parts)
