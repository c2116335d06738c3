"""What channels of numbers share in training: a scale, a bias and a precision an annotator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from .batch import Batch, Sizes
from .module import VoteModule
from .sparse import embedding
from .votes import Votes

__all__ = ["NumberModule", "Parts", "within"]

SLIGHT = (
    0.001  # the noise's share of the variance where no unit has two answers, which tell it from the truth
)
LEAST = 1e-6  # of the answers' variance: the smallest noise


class Parts(NamedTuple):
    """Scale, bias and precision of every vote's annotator."""

    scale: Tensor
    bias: Tensor
    precision: Tensor


class NumberModule(VoteModule):
    r"""$l_n = a_j z_i + b_j + \epsilon_n$, $z_i \sim N(\mu(x_i), s^2)$.

    What the network says of the truths, and what is believed of them, are rows (mean, variance).
    centred: the means of b and of a over all votes are 0 and 1. Else a constant, and a factor, move
        freely between the network and the annotators.
    """

    share: Tensor
    answers: Tensor
    noise: Tensor

    def __init__(self, sizes: Sizes, scale: bool, bias: bool, precision: bool, centred: bool):
        super().__init__()
        n, self.centred = sizes.n_annotators, centred
        self.scale_table = embedding(n, 1) if scale else None  # a - 1
        self.bias_table = embedding(n, 1) if bias else None
        self.precision_table = embedding(n, 1) if precision else None  # log precision, over that of `noise`
        self.log_spread = nn.Parameter(torch.zeros(()))
        self.register_buffer("noise", torch.ones(()))
        self.register_buffer("share", torch.zeros(n), persistent=False)
        self.register_buffer("answers", torch.ones(n), persistent=False)

    def start(self, votes: Votes, shares: Tensor) -> None:
        """The noise is how answers differ about their unit's mean; the network's word explains nothing yet."""
        counts = votes.answers()
        self.answers.copy_(torch.from_numpy(np.maximum(counts, 1)))
        self.share.copy_(torch.from_numpy(counts / max(counts.sum(), 1)))
        noise = within(votes.label.astype(np.float64), votes.unit, votes.n_units, votes.in_all)
        self.noise.fill_(SLIGHT if np.isnan(noise) else max(noise, LEAST))
        with torch.no_grad():
            self.log_spread.fill_(float(np.log(max(1 - float(self.noise), 0.05))))

    def parts(self, annotator: Tensor) -> Parts:
        """Of these annotators."""
        lean = self._rows(self.bias_table, annotator)
        precision = self._rows(self.precision_table, annotator, free=True).exp() / self.noise
        return Parts(1 + self._rows(self.scale_table, annotator), lean, precision)

    def residual(self, said: Tensor, batch: Batch, parts: Parts) -> Tensor:
        """How far each vote is from what its annotator would say of the network's word."""
        return batch.label - parts.scale * said[batch.unit, 0] - parts.bias

    @abstractmethod
    def log_label(self, said: Tensor, batch: Batch) -> Tensor:
        """The log density of every vote by itself, [votes]."""

    def log_units(self, said: Tensor, batch: Batch) -> Tensor:
        """The log density of all votes of each unit together, [batch]."""
        raise NotImplementedError(f"{type(self).__name__} has no density of several votes")

    def log_votes(self, belief: Tensor, batch: Batch) -> Tensor:
        """The expected log density of every vote, from what is believed of the truths, [votes]."""
        raise NotImplementedError(f"{type(self).__name__} has no density given the truth")

    def expect(self, said: Tensor, batch: Batch) -> Tensor:
        """What the network and the votes of each unit say together."""
        raise NotImplementedError(f"{type(self).__name__} has no density given the truth")

    @torch.no_grad()
    def settle(
        self, said: Tensor, batch: Batch, in_all: Callable[[np.ndarray], np.ndarray] = np.asarray
    ) -> None:
        """The likeliest spread of the truths about the network's word, all else being as it is.

        in_all: makes sums over these votes sums over those of all processes.
        """
        from scipy.optimize import minimize_scalar

        said = (
            said.double()
        )  # near the best the likelihood is flat: float32 would not tell it from its neighbours

        def cost(log_spread: float) -> float:
            row = torch.stack([said[:, 0], torch.full_like(said[:, 0], float(np.exp(log_spread)))], dim=1)
            return -float(in_all(np.array([float(self.log_units(row, batch).double().sum())]))[0])

        found = minimize_scalar(cost, bounds=(np.log(LEAST), 3.0), method="bounded", options={"xatol": 1e-6})
        self.log_spread.fill_(float(found.x))

    @torch.no_grad()
    def common_doubt(self) -> Tensor:
        r"""The variance of a bias that all share: no labels tell it, but biases scatter by
        $\tau^2 = \sum_j w_j b_j^2 / (1 - \sum_j w_j^2)$, w their shares of the votes, and their mean by
        $\tau^2 \sum_j w_j^2$.
        """
        bias, few = self.everyone().bias, (self.share**2).sum()
        lean = bias - self.share @ bias
        return (self.share @ lean**2) * few / (1 - few).clamp(min=LEAST)

    @torch.no_grad()
    def everyone(self) -> Parts:
        """Of all annotators."""
        return self.parts(torch.arange(len(self.share), device=self.share.device))

    def _rows(self, table: nn.Embedding | None, annotator: Tensor, free: bool = False) -> Tensor:
        if table is None:
            return self.noise.new_zeros(len(annotator))
        rows: Tensor = table(annotator).squeeze(1)
        if free or not self.centred:
            return rows
        # A sparse table is centred by a constant: its gradient would be dense.
        whole = table.weight.detach() if table.sparse else table.weight
        return rows - self.share @ whole.squeeze(1)


def within(
    values: np.ndarray,
    unit: np.ndarray,
    n_units: int,
    in_all: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> float:
    """The variance of values about their unit's mean, over all units; nan where none has two.

    in_all: makes sums over these units sums over those of all processes.

    >>> within(np.array([1.0, 3.0, 9.0]), np.array([0, 0, 1]), 2)
    2.0
    """
    count = np.bincount(unit, minlength=n_units)
    mean = np.bincount(unit, values, n_units) / np.maximum(count, 1)
    freedom = len(values) - int((count > 0).sum())
    squares, freedom = in_all(np.array([((values - mean[unit]) ** 2).sum(), freedom]))
    return float(squares / freedom) if freedom else float("nan")
