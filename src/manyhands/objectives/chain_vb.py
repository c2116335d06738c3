"""Variational Bayes on sequences: a Markov chain over the truths of neighbouring tokens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..annotations.scheme import Scheme
from ..channels import Incidence, Votes
from ..channels.dirichlet import divergence, expected_log
from ..channels.dirichlet_confusion import DirichletConfusion
from .chain import ChainCounts, Layout, forward_backward
from .start import Keys, starting_shares
from .summed import SummedEM
from .word_emissions import WordEmissions

__all__ = ["ChainBelief", "ChainParams", "ChainVB"]

NEVER = -1e4  # the log chance of what may not be
RULED_OUT = 1e-9  # the Dirichlet count of a step that may not be: its expected chance is nought


class ChainParams(NamedTuple):
    """Logs of Dirichlet counts: of the first tag [classes], of steps [before, after], of words [words, classes], where
    there are words; and the channel's belief.
    """

    log_first: Tensor
    log_step: Tensor
    log_words: Tensor
    channel: Any


class ChainBelief(NamedTuple):
    """The chances of every unit, [units, classes], and what is expected of neighbours."""

    chances: Tensor
    counts: ChainCounts


class ChainSums(NamedTuple):
    """Expected firsts [classes], neighbours [before, after], words [words, classes], and counts.

    counts: [annotators, labels, classes].
    """

    first: Tensor
    pairs: Tensor
    words: Tensor
    counts: Tensor


class ChainVB(SummedEM):
    r"""$q(z) q(A) q(T)$ with $z_{i1} \sim \pi, z_{it} \sim A[z_{i,t-1}, \cdot]$, climbed by coordinates; z by forward-backward.

    mass: times that each step was seen before any sentence. Steps that the tags' scheme forbids have none.
    words: what each class says in words, where they are known.
    """

    def __init__(
        self,
        votes: Votes,
        channel: DirichletConfusion,
        *,
        scheme: Scheme | None,
        known: np.ndarray | None = None,
        mass: float = 1.0,
        words: WordEmissions | None = None,
        dtype: torch.dtype = torch.float32,
        keys: Keys = None,
    ):
        assert votes.starts is not None
        self.votes, self.channel, self.own_votes, self.keys = votes, channel, votes.total, keys
        self.words = WordEmissions(np.zeros(0), mass) if words is None else words
        self.incidence = Incidence(votes, dtype)
        self.known = None if known is None else torch.from_numpy(known.astype(np.int64))
        self.layout = Layout(votes.starts)
        n = votes.n_classes
        may_start, may_follow = (
            (np.ones(n, dtype=bool), np.ones((n, n), dtype=bool))
            if scheme is None
            else (scheme.may_start, scheme.allowed)
        )
        self.first_prior, self.step_prior = (
            torch.from_numpy(np.where(may, mass, RULED_OUT)) for may in (may_start, may_follow)
        )
        may_end = np.ones(n, dtype=bool) if scheme is None else scheme.may_end
        self.ends = torch.from_numpy(np.where(may_end, 0.0, NEVER))

    def start(self, generator: torch.Generator | None) -> Tensor:
        """Shares of votes."""
        return starting_shares(self.votes, self.known, generator, self.incidence.dtype, self.keys)

    def believe(self, params: ChainParams) -> tuple[ChainBelief, float]:
        """By forward and backward."""
        chances, counts, mass = forward_backward(self.scores(params), self.layout, *self.chain(params))
        return ChainBelief(chances, counts), mass

    def sums(self, posterior: ChainBelief | Tensor, params: ChainParams | None) -> ChainSums:
        """The expected counts; at the start neighbours are taken for independent."""
        if isinstance(posterior, Tensor):
            posterior = ChainBelief(posterior, self._apart(posterior))
        chances = posterior.chances
        return ChainSums(*posterior.counts, self.words.counts(chances), self.counts(chances))

    def learn(self, sums: ChainSums, params: ChainParams | None) -> ChainParams:
        """The beliefs."""
        first, step = sums.first + self.first_prior, sums.pairs + self.step_prior
        channel = self.channel.maximise(sums.counts, None)
        return ChainParams(first.log(), step.log(), self.words.maximise(sums.words), channel)

    def log_priors(self, params: ChainParams) -> tuple[float, ...]:
        """Minus the divergences from the priors."""
        return (self.channel.log_prior(params.channel) - self._divergence(params),)

    def counts(self, chances: Tensor) -> Tensor:
        """How often each annotator gave each label to tokens of each truth, as expected."""
        sums = self.incidence.to_cells(chances)
        return sums.reshape(self.votes.n_annotators, self.votes.n_labels, self.votes.n_classes)

    def project(self, params: ChainParams) -> ChainParams:
        """No count below the prior's."""
        return ChainParams(
            torch.maximum(params.log_first, self.first_prior.log()),
            torch.maximum(params.log_step, self.step_prior.log()),
            self.words.project(params.log_words),
            self.channel.project(params.channel),
        )

    def scores(self, params: ChainParams) -> Tensor:
        """What the votes say of every unit, [units, classes]; known truths leave nothing else possible."""
        rows = self.channel.log_rows(params.channel)
        table = rows.reshape(self.incidence.n_cells, self.votes.n_classes).to(self.incidence.dtype)
        blocks = [block for _, block in self.incidence.to_units(table)]
        scores = torch.cat(blocks) if blocks else table.new_zeros(0, self.votes.n_classes)
        if self.words.n_words:
            scores += self.words.scores(params.log_words).to(scores)
        scores[self.layout.last] += self.ends.to(scores)
        if self.known is not None:
            told = torch.nonzero(self.known >= 0).squeeze(1)
            others = torch.arange(scores.shape[1]) != self.known[told, None]
            scores[told] = scores[told].masked_fill(others, NEVER)
        return scores

    def chain(self, params: ChainParams) -> tuple[Tensor, Tensor]:
        r"""$\exp E \log$ of the first tag's chances and of the steps'."""
        first, step = (expected_log(part.exp(), dim=-1).exp() for part in params[:2])
        return first.to(self.incidence.dtype), step.to(self.incidence.dtype)

    def _divergence(self, params: ChainParams) -> float:
        first, step = (part.exp() for part in params[:2])
        chain = float(divergence(first, self.first_prior, dim=0)) + float(
            divergence(step, self.step_prior, dim=1).sum()
        )
        return chain + self.words.divergence(params.log_words)

    def _apart(self, shares: Tensor) -> ChainCounts:
        """Neighbours as they would be if they were independent, of the steps that may be."""
        begun = torch.zeros(len(shares), dtype=torch.bool)
        begun[self.layout.first] = True
        after = torch.nonzero(~begun).squeeze(1)
        pairs = (shares[after - 1].T @ shares[after]).double()
        first = shares[begun].sum(dim=0, dtype=torch.float64)
        return ChainCounts(first * (self.first_prior > RULED_OUT), pairs * (self.step_prior > RULED_OUT))
