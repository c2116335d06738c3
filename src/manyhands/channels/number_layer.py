"""The crowd layer for numbers: a scale and a bias an annotator, by squared error (Rodrigues and Pereira, 2018)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Batch, Sizes
from .normal import posterior
from .number_module import LEAST, SLIGHT, NumberModule, within

__all__ = ["NumberLayer", "SquaredModule"]

VARIANTS = ("S", "B", "S+B")


@dataclass(frozen=True)
class NumberLayer:
    r"""$\sum_n (l_n - F_j(\mu(x)))^2 / 2$, without a hidden truth: it takes the objective "marginal" alone.

    variant: F is "S" $s_j \mu$ (at first 1), "B" $\mu + b_j$ (at first 0), "S+B" both.
    centred: the means of s and b over all votes are 1 and 0. As published (False), a constant and a
        factor move freely between network and annotators, and the network's word means little.
    """

    variant: str = "B"
    centred: bool = True

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ParameterError(f"variant={self.variant!r} must be one of {', '.join(map(repr, VARIANTS))}")

    def build(self, sizes: Sizes) -> SquaredModule:
        """The torch module to train.

        >>> NumberLayer("S").build(Sizes(3, 1, 1)).everyone().scale.tolist()
        [1.0, 1.0, 1.0]
        """
        return SquaredModule(self, sizes)


class SquaredModule(NumberModule):
    """Noise and spread have no part in the training: `settle` reads them off the residuals."""

    def __init__(self, spec: NumberLayer, sizes: Sizes):
        super().__init__(
            sizes, "S" in spec.variant, "B" in spec.variant, precision=False, centred=spec.centred
        )
        self.spec = spec

    @property
    def is_probability(self) -> bool:
        """Squared error says how far, not how likely."""
        return False

    def log_label(self, said: Tensor, batch: Batch) -> Tensor:
        """Half the square of the residual, below zero."""
        return -0.5 * self.residual(said, batch, self.parts(batch.annotator)) ** 2

    def log_units(self, said: Tensor, batch: Batch) -> Tensor:
        """With the noise that was read off: for `settle`."""
        parts = self.parts(batch.annotator)

        def per_unit(values: Tensor) -> Tensor:
            return values.new_zeros(batch.n_units).index_add(0, batch.unit, values)

        residual = self.residual(said, batch, parts)
        return posterior(
            residual,
            parts.scale,
            parts.precision,
            said[:, 1],
            per_unit,
            lambda u: u[batch.unit],
            batch.weight,
        ).log_likelihood

    @torch.no_grad()
    def settle(
        self, said: Tensor, batch: Batch, in_all: Callable[[np.ndarray], np.ndarray] = np.asarray
    ) -> None:
        """The noise: how residuals differ about their unit's mean; then the spread."""
        residual = self.residual(said, batch, self.parts(batch.annotator))
        noise = within(residual.double().cpu().numpy(), batch.unit.cpu().numpy(), batch.n_units, in_all)
        self.noise.fill_(SLIGHT if noise != noise else max(noise, LEAST))
        super().settle(said, batch, in_all)
