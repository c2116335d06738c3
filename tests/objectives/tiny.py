"""Posteriors and likelihoods of tiny crowds by going through all truths, one product at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from manyhands.channels import Votes

__all__ = ["enumerate_truths", "log_dirichlet", "tiny_votes"]

Chance = Callable[[int, int, int, int], float]  # p(label | truth, annotator, unit)


def enumerate_truths(
    votes: Votes, prior: np.ndarray, chance: Chance, known: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """The posterior and the log of p(votes, known truths), summed over all K^N truths together."""
    total, posterior = 0.0, np.zeros((votes.n_units, votes.n_classes))
    for truths in itertools.product(range(votes.n_classes), repeat=votes.n_units):
        if known is not None and any(k >= 0 and k != z for k, z in zip(known, truths, strict=True)):
            continue
        mass = math.prod(float(prior[z]) for z in truths)
        for n in range(len(votes.unit)):
            i, j, label = int(votes.unit[n]), int(votes.annotator[n]), int(votes.label[n])
            weight = 1.0 if votes.weight is None else float(votes.weight[n])
            mass *= chance(label, truths[i], j, i) ** weight
        total += mass
        for i, z in enumerate(truths):
            posterior[i, z] += mass
    return posterior / total, math.log(total)


def tiny_votes(seed: int, n: int, r: int, k: int, abstentions: bool = False, soft: bool = False) -> Votes:
    """A random crowd in which some answers are missing; the last unit may have none at all."""
    rng = np.random.default_rng(seed)
    unit, annotator = np.nonzero(rng.random((n, r)) < 0.7)
    n_labels = k + abstentions
    label = rng.integers(0, n_labels, len(unit))
    weight = rng.uniform(0.1, 1, len(unit)).astype(np.float32) if soft else None
    return Votes(
        unit.astype(np.int32), annotator.astype(np.int32), label.astype(np.int32), weight, n, r, n_labels, k
    )


def log_dirichlet(counts: np.ndarray, prior: np.ndarray) -> float:
    """Log of the chance of a sequence with these counts, its chances drawn from the Dirichlet."""
    gain = (gammaln(prior + counts) - gammaln(prior)).sum()
    return float(gammaln(prior.sum()) - gammaln(prior.sum() + counts.sum()) + gain)
