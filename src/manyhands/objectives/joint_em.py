"""EM on the joint objective, for any channel whose parameters follow from expected counts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..channels import Channel, Incidence, Votes
from ..channels.channel import FLOOR
from ..channels.sums import column_sums
from .joint import joint_posterior
from .start import Keys, starting_shares
from .summed import SummedEM

__all__ = ["JointEM", "JointParams", "JointSums"]


class JointParams(NamedTuple):
    """log_truth: the classes' log prior, [classes]; channel: the channel's parameters."""

    log_truth: Tensor
    channel: Any


class JointSums(NamedTuple):
    """Expected counts [annotators, labels, classes], and expected units of each class (empty: not asked for)."""

    counts: Tensor
    units: Tensor


class JointEM(SummedEM):
    r"""$\sum_i \log \sum_k f_k \prod_n T_n[k]$, f a class prior, climbed by EM.

    log_truth: a fixed log prior; None to learn it, with `smoothing` tasks of each class seen
        before any vote.
    known: [units] codes of known truths, -1 elsewhere.
    keys: what restarts shake each unit by; incidence: of these votes, where there is one.
    """

    n_subtypes = 1  # of a class

    def __init__(
        self,
        votes: Votes,
        channel: Channel,
        *,
        known: np.ndarray | None = None,
        log_truth: Tensor | None = None,
        smoothing: float = 0.0,
        dtype: torch.dtype = torch.float32,
        keys: Keys = None,
        incidence: Incidence | None = None,
    ):
        self.votes, self.channel, self.smoothing, self.keys = votes, channel, smoothing + FLOOR, keys
        self.incidence = Incidence(votes, dtype) if incidence is None else incidence
        self.known = None if known is None else torch.from_numpy(known.astype(np.int64))
        self.fixed = log_truth
        self.own_votes = votes.total

    def start(self, generator: torch.Generator | None) -> Tensor:
        """Shares of votes."""
        return starting_shares(self.votes, self.known, generator, self.incidence.dtype, self.keys)

    def believe(self, params: JointParams) -> tuple[Tensor, float]:
        """The posterior, and the log-likelihood."""
        rows = self.channel.log_rows(params.channel)
        table = rows.reshape(self.incidence.n_cells, self.votes.n_classes).to(self.incidence.dtype)
        scores = self.incidence.to_units(table)
        log_truth = self._log_truth(params).to(table.dtype)
        return joint_posterior(log_truth, scores, self.votes.n_units, self.known, self.n_subtypes)

    def sums(self, posterior: Tensor, params: JointParams | None) -> JointSums:
        """The expected counts, and for the prior the posteriors' sum."""
        units = column_sums(posterior) if self._asks_for_units else torch.empty(0, dtype=torch.float64)
        return JointSums(self.counts(posterior), units)

    def learn(self, sums: JointSums, params: JointParams | None) -> JointParams:
        """M-step."""
        log_truth = self.fixed if self.fixed is not None else self._learn_prior(sums.units)
        channel = self.channel.maximise(sums.counts, None if params is None else params.channel)
        return JointParams(log_truth, channel)

    def log_priors(self, params: JointParams) -> tuple[float, ...]:
        """Of the channel, and of the classes."""
        return self.channel.log_prior(params.channel), self._truth_prior(params)

    def counts(self, posterior: Tensor) -> Tensor:
        """How often each annotator gave each label to units of each truth, as expected."""
        votes = self.votes
        sums = self.incidence.to_cells(posterior)
        return sums.reshape(votes.n_annotators, votes.n_labels, votes.n_classes)

    def project(self, params: JointParams) -> JointParams:
        """Valid again after an extrapolation."""
        log_truth = params.log_truth - params.log_truth.logsumexp(dim=0)
        return JointParams(
            log_truth if self.fixed is None else self.fixed, self.channel.project(params.channel)
        )

    @property
    def _asks_for_units(self) -> bool:
        return self.fixed is None

    def _log_truth(self, params: JointParams) -> Tensor:
        return params.log_truth

    def _truth_prior(self, params: JointParams) -> float:
        return self.smoothing * float(params.log_truth.sum())

    def _learn_prior(self, units: Tensor) -> Tensor:
        sums = units + self.smoothing
        return sums.log() - sums.sum().log()
