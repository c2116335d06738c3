"""Numbers with now and then a wild answer: Student's t noise about a scaled and shifted truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..errors import ParameterError
from .batch import Batch, Sizes
from .gaussian_module import LOG_TAU, GaussianModule
from .number_module import LEAST

__all__ = ["Student", "StudentModule"]

REWEIGHTED = 5  # rounds that find where the posterior is; the integral is then taken there
WIDER = 1.5  # than that place: its tails are fatter than a normal's


@dataclass(frozen=True)
class Student:
    r"""$l_n = a_j z_i + b_j + \epsilon / \sqrt{\lambda_j}$, $\epsilon$ from Student's t of `freedom` degrees.

    For crowds where good annotators slip: a wild answer is an accident, and moves the truth less the
    wilder it is, where `Gaussian` would think less of all its annotator said.

    freedom: below about 10 accidents are common; from 30 on it is nearly the Gaussian.
    nodes: how many points the integral over the truth is taken at.
    The rest are those of `Gaussian`; lambda is of the t's own scale. There is no M-step in closed form.
    """

    freedom: float = 4.0
    nodes: int = 32
    strength: float = 2.0
    pull: float = 1.0
    scale: bool = False
    bias: bool = True
    hold: float = 5.0
    centred: bool = True

    def __post_init__(self) -> None:
        if not self.freedom > 2 or self.nodes < 4:
            raise ParameterError(
                f"freedom={self.freedom!r} must be above 2, where there is a variance, and nodes={self.nodes!r} at least 4"
            )

    def build(self, sizes: Sizes) -> StudentModule:
        """The torch module to train.

        >>> Student().build(Sizes(3, 1, 1)).everyone().bias.tolist()
        [0.0, 0.0, 0.0]
        """
        return StudentModule(self, sizes)


class StudentModule(GaussianModule):
    r"""$\int N(z; \mu, s^2) \prod_n t(l_n | z) dz$ by Gauss and Hermite's points, laid where the posterior is."""

    spec: Student  # type: ignore[assignment]
    points: Tensor
    log_weights: Tensor

    def __init__(self, spec: Student, sizes: Sizes):
        super().__init__(spec, sizes)  # type: ignore[arg-type]
        points, weights = np.polynomial.hermite_e.hermegauss(spec.nodes)
        self.register_buffer("points", torch.from_numpy(points).float(), persistent=False)
        self.register_buffer(
            "log_weights", torch.from_numpy(np.log(weights)).float() - 0.5 * LOG_TAU, persistent=False
        )

    def log_label(self, said: Tensor, batch: Batch) -> Tensor:
        """Every vote as a unit of its own."""
        alone = batch._replace(
            unit=torch.arange(len(batch.unit), device=batch.unit.device),
            units=batch.units[batch.unit],
            weight=None,
        )
        return self.log_units(said[batch.unit], alone)

    def log_units(self, said: Tensor, batch: Batch) -> Tensor:
        """By quadrature."""
        return self._densities(said, batch)[1].logsumexp(dim=1)

    def expect(self, said: Tensor, batch: Batch) -> Tensor:
        """Mean and variance of the posterior, by the same quadrature."""
        places, log_mass = self._densities(said, batch)
        mass = log_mass.softmax(dim=1)
        mean = (mass * places).sum(dim=1)
        return torch.stack([mean, (mass * (places - mean[:, None]) ** 2).sum(dim=1)], dim=1)

    def log_votes(self, belief: Tensor, batch: Batch) -> Tensor:
        """The belief taken for normal."""
        places = belief[:, :1] + belief[:, 1:].sqrt() * self.points.to(belief)
        return (self._log_votes_at(places, batch) * self.log_weights.to(belief).exp()).sum(dim=1)

    def update(self, counts: Tensor) -> bool:
        """No closed form."""
        return False

    def _densities(self, said: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Points [units, nodes], and the log of the joint density there times each point's share."""
        variance = said[:, 1].clamp(min=LEAST)
        middle, width = self._place(torch.stack([said[:, 0], variance], dim=1), batch)
        points, log_weights = self.points.to(said), self.log_weights.to(said)
        places = middle[:, None] + width[:, None] * points
        log_prior = -0.5 * (
            (places - said[:, :1]) ** 2 / variance[:, None] + variance.log()[:, None] + LOG_TAU
        )
        given = self._log_votes_at(places, batch)
        log_given = batch.per_unit(given)
        log_share = log_weights + 0.5 * points**2 + 0.5 * LOG_TAU + width.log()[:, None]
        return places, log_prior + log_given + log_share

    def _log_votes_at(self, places: Tensor, batch: Batch) -> Tensor:
        """Log t of every vote at its unit's points, [votes, nodes]."""
        parts, free = self.parts(batch.annotator), self.spec.freedom
        error = (batch.label - parts.bias)[:, None] - parts.scale[:, None] * places[batch.unit]
        half = torch.tensor(free / 2, dtype=torch.float64)
        front = float(torch.lgamma(half + 0.5) - torch.lgamma(half)) - 0.5 * float(np.log(free * np.pi))
        tail = torch.log1p(error**2 * parts.precision[:, None] / free)
        return front + 0.5 * parts.precision.log()[:, None] - 0.5 * (free + 1) * tail

    @torch.no_grad()
    def _place(self, said: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Where the posterior is and how wide: the normal one, votes reweighted by how wild they are."""
        found = GaussianModule.expect(self, said, batch)
        own = torch.ones_like(batch.label) if batch.weight is None else batch.weight
        for _ in range(REWEIGHTED):
            parts = self.parts(batch.annotator)
            squares = self.residual(found, batch, parts) ** 2 + parts.scale**2 * found[batch.unit, 1]
            wild = (self.spec.freedom + 1) / (self.spec.freedom + parts.precision * squares)
            found = GaussianModule.expect(self, said, batch._replace(weight=own * wild))
        return found[:, 0], WIDER * found[:, 1].sqrt()
