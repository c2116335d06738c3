"""A classifier an annotator, each a step away from a common one (Kajino et al., 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .portrait import PortraitModule
from .sparse import embedding
from .votes import Votes

__all__ = ["Personal", "PersonalModule"]


@dataclass(frozen=True)
class Personal:
    r"""$p(l | x, j) = \mathrm{softmax}(\log f(x) + U_j^\top x)_l$, and $\frac{\lambda}{2} \sum_j \|U_j\|^2$ in the loss.

    f is what all have in common. Under a linear network each annotator is a logistic regression, shrunk
    towards the common one. Not linear in f, so it takes the objective "marginal" alone.

    shrinkage: lambda. intercept: a column of ones beside the features.
    """

    shrinkage: float = 1.0
    intercept: bool = True

    def __post_init__(self) -> None:
        if not self.shrinkage > 0:
            raise ParameterError(f"shrinkage={self.shrinkage!r} must be above 0")

    def build(self, sizes: Sizes) -> PersonalModule:
        """The torch module to train.

        >>> Personal().build(Sizes(3, 2, 2, n_features=4)).steps.weight.shape
        torch.Size([3, 10])
        """
        if not sizes.n_features:
            raise ParameterError("channel Personal needs features as one vector a task")
        return PersonalModule(self, sizes)


class PersonalModule(PortraitModule):
    """Steps U_j as rows of a table; `lift` is what becomes of the features first."""

    answers: Tensor

    def __init__(self, spec: Personal, sizes: Sizes):
        super().__init__(sizes)
        self.spec = spec
        self.lift: nn.Module = nn.Identity()
        self.steps = embedding(sizes.n_annotators, (sizes.n_features + spec.intercept) * sizes.n_labels)
        self.register_buffer("answers", torch.ones(sizes.n_annotators), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """How many votes each annotator's price is shared out over."""
        self.answers.copy_(torch.from_numpy(np.maximum(votes.answers(), 1)))

    def log_labels(self, said: Tensor, batch: Batch) -> Tensor:
        """The common logits and a step; a label beyond the classes ("cannot say") has a step alone."""
        x = self.lift(batch.features)
        if self.spec.intercept:
            x = nn.functional.pad(x, (0, 1), value=1.0)
        rows = self.steps(batch.annotator).view(len(batch.annotator), x.shape[1], -1)
        step = torch.bmm(x.index_select(0, batch.unit)[:, None, :], rows).squeeze(1)
        common = nn.functional.pad(said, (0, step.shape[1] - said.shape[1]))
        return (common.index_select(0, batch.unit) + step).log_softmax(dim=1)

    def penalty(self, batch: Batch) -> Tensor | None:
        """Of the annotators present, each shared out over all its votes."""
        present, place = batch.annotator.unique(return_inverse=True)
        price = 0.5 * (self.steps(present) ** 2).sum(dim=1) / self.answers[present]
        return self.spec.shrinkage * price[place].sum()
