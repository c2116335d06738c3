"""Gibbs sampling from where variational Bayes ended: how wide the beliefs truly are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ..channels.dirichlet import Moments, draw, moments
from ..objectives import JointParams
from ..processes import rank, size, totals

__all__ = ["Widths", "posterior_widths"]

WARMING = 5  # one sweep in so many comes before those that count


class Widths(NamedTuple):
    r"""Moments of the confusions [annotators, labels, classes], the classes, and the annotators' accuracies.

    An accuracy is $\sum_k \pi_k T_j[k, k]$, of what was said: "cannot say" is neither right nor wrong.
    """

    confusion: Moments
    classes: Moments
    accuracy: Moments


def posterior_widths(problem: Any, params: JointParams, sweeps: int, seed: int) -> Widths:
    r"""Moments of the parameters under their exact posterior, by blocked Gibbs sampling.

    A sweep draws $\pi, T \mid z$, then all $z \mid \pi, T$, which leaves the posterior as it is. Mean-field
    beliefs take doubts of the truths and of the parameters for independent, and so come out too
    narrow; here they move together. Given z every chance is Beta, so that a sweep gives its mean and
    variance in closed form (Rao-Blackwell), and the law of total variance adds up the sweeps.
    Without sweeps the moments are those of the variational belief.
    """
    counts, classes = params.channel.log_counts.exp(), problem.class_counts(params)
    if not sweeps:
        return _given_truths(problem, counts, classes)
    generator = np.random.default_rng(seed)  # of matrices: all processes draw the same
    own = generator if size() == 1 else np.random.default_rng([seed, rank()])  # of truths
    total = _Total()
    for sweep in range(-(sweeps // WARMING), sweeps):
        counts, classes = _sweep(problem, counts, classes, generator, own)
        if sweep >= 0:
            total.add(_given_truths(problem, counts, classes))
    return total.widths()


def _sweep(
    problem: Any, counts: Tensor, classes: Tensor, generator: np.random.Generator, own: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """Chances from counts, truths from chances, counts from truths."""
    votes = problem.of_classes
    log_truth = draw(classes, 0, generator) if problem.fixed is None else problem.fixed
    table = draw(counts, 1, generator).reshape(problem.incidence.n_cells, votes.n_classes)
    sums = totals(problem.drawn(log_truth, table, own))
    return sums.counts + problem.channel.prior(votes.n_labels, votes.n_classes), sums.units + problem.mass


def _given_truths(problem: Any, counts: Tensor, classes: Tensor) -> Widths:
    """The moments of independent Dirichlets, and those of the accuracies that they make."""
    share, size = moments(classes, dim=0), classes.sum() + 1
    if problem.fixed is not None:
        share, size = Moments(problem.fixed.exp(), torch.zeros_like(classes)), torch.tensor(torch.inf)
    spoken = moments(counts[:, : len(classes)], dim=1)
    right, doubt = (part.diagonal(dim1=1, dim2=2) for part in spoken)
    mean = right @ share.mean
    moving = ((right**2) @ share.mean - mean**2).clamp(min=0) / size
    variance = moving + doubt @ (share.mean**2 + share.variance)
    return Widths(moments(counts, dim=1), share, Moments(mean, variance))


class _Total:
    """Sums over sweeps of means, their squares, and variances."""

    def __init__(self) -> None:
        self.n = 0
        self.sums: list[list[Tensor]] = []

    def add(self, widths: Widths) -> None:
        """One sweep more."""
        parts = [[m.mean, m.mean**2, m.variance] for m in widths]
        self.n += 1
        if not self.sums:
            self.sums = parts
            return
        self.sums = [
            [a + b for a, b in zip(s, p, strict=True)] for s, p in zip(self.sums, parts, strict=True)
        ]

    def widths(self) -> Widths:
        """The law of total variance."""
        means = [[part / self.n for part in sums] for sums in self.sums]
        return Widths(*(Moments(m, v + (square - m**2).clamp(min=0)) for m, square, v in means))
