"""The crowd layer: a linear map of the network's softmax an annotator (Rodrigues and Pereira, 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..errors import ParameterError
from .batch import Batch, Sizes
from .module import DirectModule
from .sparse import embedding

__all__ = ["CrowdLayer", "CrowdLayerModule"]

VARIANTS = ("MW", "VW", "VB", "VW+B")


@dataclass(frozen=True)
class CrowdLayer:
    r"""$p(l | x, j) = \mathrm{softmax}(F_j(f(x)))$, a softmax of a softmax, as published.

    variant: F is "MW" $W_j f$ (a matrix, at first the identity), "VW" $w_j * f$ (at first ones),
        "VB" $f + b_j$ (at first noughts), "VW+B" both vectors.

    It is not linear in f, so it takes the objective "marginal" alone. The identity can say no
    class louder than $e / (e + K - 1)$; `Confusion` is the layer with a bound of 1.
    """

    variant: str = "MW"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ParameterError(f"variant={self.variant!r} must be one of {', '.join(map(repr, VARIANTS))}")

    def build(self, sizes: Sizes) -> CrowdLayerModule:
        """The torch module to train.

        >>> CrowdLayer("VW").build(Sizes(3, 2, 2)).weights()[0].tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        if self.variant != "MW" and sizes.n_labels != sizes.n_classes:
            raise ParameterError(
                f"variant={self.variant!r} gives each class one label, but there are {sizes.n_labels} labels and "
                f"{sizes.n_classes} classes ('cannot say' is a label of no class): use variant='MW'"
            )
        return CrowdLayerModule(self, sizes)


class CrowdLayerModule(DirectModule):
    """W_j is [label, truth] in the paper; here all matrices are [truth, label]."""

    def __init__(self, spec: CrowdLayer, sizes: Sizes):
        super().__init__()
        self.spec, self.shape = spec, (sizes.n_classes, sizes.n_labels)
        self.matrix, self.vector, self.bias = None, None, None
        if spec.variant == "MW":
            self.matrix = _table(sizes.n_annotators, torch.eye(*self.shape))
        if spec.variant in ("VW", "VW+B"):
            self.vector = _table(sizes.n_annotators, torch.ones(sizes.n_labels))
        if spec.variant in ("VB", "VW+B"):
            self.bias = _table(sizes.n_annotators, torch.zeros(sizes.n_labels))

    def log_label(self, log_truth: Tensor, batch: Batch) -> Tensor:
        """Softmax of what the layer makes of the network's softmax."""
        truth = log_truth.exp()[batch.unit]
        logits = self._map(truth, batch.annotator).log_softmax(dim=1)
        return logits.gather(1, batch.label[:, None]).squeeze(1)

    def _map(self, truth: Tensor, annotator: Tensor) -> Tensor:
        """F_j(f) of every vote, [votes, labels]."""
        if self.matrix is not None:
            rows: Tensor = self.matrix(annotator).view(-1, *self.shape)
            return torch.bmm(truth[:, None, :], rows).squeeze(1)
        if self.vector is not None:
            truth = truth * self.vector(annotator)
        return truth if self.bias is None else truth + self.bias(annotator)

    @torch.no_grad()
    def confusions(self) -> Tensor:
        """What each annotator would say were the network sure of a class: softmax of W's rows, plus b."""
        return (self.weights() + self.biases()[:, None, :]).softmax(dim=2)

    @torch.no_grad()
    def weights(self) -> Tensor:
        """The raw W, [annotators, classes, labels]: the vector on its diagonal, or the identity (VB)."""
        if self.matrix is not None:
            return self.matrix.weight.view(-1, *self.shape).clone()
        if self.vector is not None:
            return torch.diag_embed(self.vector.weight)
        assert self.bias is not None
        return torch.eye(*self.shape).to(self.bias.weight).repeat(len(self.bias.weight), 1, 1)

    @torch.no_grad()
    def biases(self) -> Tensor:
        """The raw b, [annotators, labels]; noughts where the variant has none."""
        if self.bias is not None:
            return self.bias.weight.clone()
        table = self.matrix or self.vector
        assert table is not None
        return table.weight.new_zeros(len(table.weight), self.shape[1])


def _table(n_annotators: int, start: Tensor) -> nn.Embedding:
    table = embedding(n_annotators, start.numel())
    with torch.no_grad():
        table.weight.copy_(start.reshape(1, -1))
    return table
