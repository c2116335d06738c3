"""Normal noise about a scaled and shifted truth, as a torch module: every density in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .batch import Batch, Sizes
from .moments import Priors, explain_best
from .normal import Found, posterior
from .number_module import LEAST, NumberModule, Parts

if TYPE_CHECKING:
    from .gaussian import Gaussian

__all__ = ["GaussianModule"]

LOG_TAU = math.log(2 * math.pi)


class GaussianModule(NumberModule):
    """Priors hold what few answers tell: see `Gaussian`."""

    def __init__(self, spec: Gaussian, sizes: Sizes):
        super().__init__(sizes, spec.scale, spec.bias, precision=True, centred=spec.centred)
        self.spec = spec

    def log_label(self, said: Tensor, batch: Batch) -> Tensor:
        r"""$\log N(l; a \mu + b, a^2 s^2 + 1 / \lambda)$."""
        parts = self.parts(batch.annotator)
        variance = parts.scale**2 * said[batch.unit, 1] + 1 / parts.precision
        return -0.5 * (self.residual(said, batch, parts) ** 2 / variance + variance.log() + LOG_TAU)

    def log_units(self, said: Tensor, batch: Batch) -> Tensor:
        r"""$\log N(l_i; a \mu_i + b, s^2 a a^T + \mathrm{diag}(1 / \lambda))$ over the votes of unit i."""
        return self._found(said, batch).log_likelihood

    def expect(self, said: Tensor, batch: Batch) -> Tensor:
        """The exact posterior."""
        found = self._found(said, batch)
        return torch.stack([said[:, 0] + found.shift, found.variance], dim=1)

    def log_votes(self, belief: Tensor, batch: Batch) -> Tensor:
        """Squares about the mean, and the variance."""
        parts = self.parts(batch.annotator)
        squares = self.residual(belief, batch, parts) ** 2 + parts.scale**2 * belief[batch.unit, 1]
        return 0.5 * (parts.precision.log() - LOG_TAU - parts.precision * squares)

    def penalty(self, batch: Batch) -> Tensor | None:
        """The priors of the annotators present, each shared out over all its votes."""
        parts = self.parts(batch.annotator)
        return (self._cost(parts) / self.answers[batch.annotator]).sum()

    def log_prior(self) -> float:
        """Of all annotators, up to a constant."""
        return -float(self._cost(self.everyone()).double().sum())

    def update(self, counts: Tensor) -> bool:
        """The best scale and bias at the precisions that are, then the best precision; and the spread."""
        spec, parts = self.spec, self.everyone()
        best = explain_best(
            counts, parts.precision.double(), self.share.double(),
            Priors(float(self.noise), spec.hold, spec.pull, spec.strength), (spec.scale, spec.bias), spec.centred,
        )  # fmt: skip
        with torch.no_grad():
            if self.scale_table is not None:
                self.scale_table.weight.copy_(best.scale[:, None] - 1)
            if self.bias_table is not None:
                self.bias_table.weight.copy_(best.bias[:, None])
            assert self.precision_table is not None
            self.precision_table.weight.copy_((best.precision * self.noise).log()[:, None])
            self.log_spread.copy_(best.spread.clamp(min=LEAST).log())
        return True

    def _found(self, said: Tensor, batch: Batch) -> Found:
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
        )

    def _cost(self, parts: Parts) -> Tensor:
        spec, over = self.spec, parts.precision * self.noise
        squares = spec.hold * (parts.scale - 1) ** 2 + spec.pull * parts.bias**2
        return 0.5 * (squares / self.noise - spec.strength * (over.log() - over))
