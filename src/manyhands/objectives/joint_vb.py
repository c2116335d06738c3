"""Mean-field variational Bayes on the joint objective: EM whose M-step is a belief."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ..channels import Incidence, Votes
from ..channels.dirichlet import divergence, expected_log
from ..channels.dirichlet_confusion import DirichletConfusion
from .joint import joint_posterior
from .joint_em import JointEM, JointParams, JointSums
from .start import Keys, exponentials, starting_shares

__all__ = ["JointVB"]


class JointVB(JointEM):
    r"""The evidence lower bound of a crowd whose chances all have Dirichlet priors, climbed by coordinates.

    $q(z) q(\tau) q(\pi) q(T)$, classes $\tau \sim \mathrm{Dir}(\text{mass})$, and within a class k its
    M subtypes $\pi_k \sim \mathrm{Dir}(\text{spread} / M)$. A unit's hidden state is (class, subtype),
    the subtypes of a class next to each other; with M = 1 (IBCC) it is the class.
    `JointParams.log_truth` holds the log of $\eta_{km} = \text{spread} / M + \text{expected units}$.

    log_truth: a fixed log prior of the classes; None to learn it from `mass` units of each before any.
    """

    channel: DirichletConfusion

    def __init__(
        self,
        votes: Votes,
        channel: DirichletConfusion,
        *,
        known: np.ndarray | None = None,
        log_truth: Tensor | None = None,
        mass: float = 1.0,
        spread: float = 1.0,
        dtype: torch.dtype = torch.float32,
        keys: Keys = None,
        incidence: Incidence | None = None,
    ):
        self.n_subtypes = channel.n_subtypes
        states = votes._replace(n_classes=votes.n_classes * self.n_subtypes)
        super().__init__(
            states, channel, known=known, log_truth=log_truth, dtype=dtype, keys=keys, incidence=incidence
        )
        self.of_classes, self.mass, self.spread = votes, mass, spread

    def start(self, generator: torch.Generator | None) -> Tensor:
        """Shares of votes; subtypes told apart by how disputed a unit is, or at random."""
        shaken = generator if self.n_subtypes == 1 else None
        shares = starting_shares(self.of_classes, self.known, shaken, self.incidence.dtype, self.keys)
        return self._spread_out(shares, generator)

    def sums(self, posterior: Tensor, params: JointParams | None) -> JointSums:
        """Of classes alone where a warm start says no more."""
        if posterior.shape[1] != self.votes.n_classes:
            posterior = self._spread_out(posterior, None)
        return super().sums(posterior, params)

    def learn(self, sums: JointSums, params: JointParams | None) -> JointParams:
        """The beliefs, from the expected counts."""
        eta = sums.units + self.spread / self.n_subtypes
        return JointParams(eta.log(), self.channel.maximise(sums.counts))

    def drawn(self, log_truth: Tensor, table: Tensor, generator: np.random.Generator) -> JointSums:
        """The sums of truths that are drawn, given the classes' chances and rows of log T by cell."""
        log_truth, table = log_truth.to(self.incidence.dtype), table.to(self.incidence.dtype)
        scores = self.incidence.to_units(table)
        chances, _ = joint_posterior(log_truth, scores, self.votes.n_units, self.known)
        truths = _pick(chances, generator)
        return JointSums(self.counts(truths), truths.sum(dim=0, dtype=torch.float64))

    def project(self, params: JointParams) -> JointParams:
        """No count below the prior's."""
        least = float(np.log(self.spread / self.n_subtypes))
        return JointParams(params.log_truth.clamp(min=least), self.channel.project(params.channel))

    def log_states(self, params: JointParams) -> Tensor:
        r"""$E \log \tau_k \pi_{km}$, [states]."""
        eta = self._subtypes(params)
        classes = expected_log(self.class_counts(params), dim=0) if self.fixed is None else self.fixed
        return (classes[:, None] + expected_log(eta, dim=1)).reshape(-1)

    def class_counts(self, params: JointParams) -> Tensor:
        """The Dirichlet's counts of the classes."""
        return self._subtypes(params).sum(dim=1) - self.spread + self.mass

    def chances(self, posterior: Tensor) -> Tensor:
        """Of the classes, [units, classes]."""
        return posterior.reshape(len(posterior), self.of_classes.n_classes, self.n_subtypes).sum(dim=2)

    @property
    def _asks_for_units(self) -> bool:
        return True

    def _log_truth(self, params: JointParams) -> Tensor:
        return self.log_states(params)

    def _truth_prior(self, params: JointParams) -> float:
        eta = self._subtypes(params)
        own = torch.full_like(eta, self.spread / self.n_subtypes)
        total = float(divergence(eta, own, dim=1).sum())
        if self.fixed is None:
            counts = self.class_counts(params)
            total += float(divergence(counts, torch.full_like(counts, self.mass), dim=0))
        return -total

    def _subtypes(self, params: JointParams) -> Tensor:
        return params.log_truth.exp().reshape(-1, self.n_subtypes)

    def _spread_out(self, shares: Tensor, generator: torch.Generator | None) -> Tensor:
        """From classes to states: by tenths (for ten subtypes) of the share that a class has; or at random."""
        if self.n_subtypes == 1:
            return shares
        if generator is None:
            place = (shares * self.n_subtypes).long().clamp(max=self.n_subtypes - 1)
            parts = torch.nn.functional.one_hot(place, self.n_subtypes).to(shares.dtype)
        else:
            parts = exponentials(self.keys, (*shares.shape, self.n_subtypes), generator).to(shares.dtype)
            parts /= parts.sum(dim=2, keepdim=True)
        return (shares[:, :, None] * parts).flatten(start_dim=1)


def _pick(chances: Tensor, generator: np.random.Generator) -> Tensor:
    """One class a unit by its chances, as rows of zeros with a one."""
    point = torch.from_numpy(generator.random(len(chances)))[:, None]
    place = (chances.double().cumsum(dim=1)[:, :-1] < point).sum(dim=1)
    return torch.nn.functional.one_hot(place, chances.shape[1]).to(chances.dtype)
