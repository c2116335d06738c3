"""Truths and annotators' matrices drawn together from what the votes leave open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..channels.votes import Votes
from ..results.counts import expected_counts
from .rows import Rows

__all__ = ["drawn", "posterior_draws", "scores_of"]

BURN_IN, THIN = 30, 3  # sweeps before the first draw, and from one to the next
STRENGTHS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])  # votes that an annotator borrows from the crowd
TINY = 1e-300


def posterior_draws(
    known: Rows, draws: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    r"""Gibbs: truths given matrices, matrices given truths; a fit alone is surer than its votes make it.

    $T_j[k] \sim Dir(s G[k])$, G the crowd's common matrix and s how alike annotators are, both learnt on
    the way, G from what the method believed before any vote; the classes' shares are those that the
    fit found. Begins at the fit, so the classes keep their names.
    Yields truth [units] and table [annotators, classes, labels].
    """
    votes = known.votes
    truth, believed = drawn(known.chances, rng), known.prior.mean(axis=0)
    shares = np.log((known.chances.sum(axis=0) + 1) / (len(known.chances) + votes.n_classes))
    for sweep in range(BURN_IN + THIN * draws):
        counts = expected_counts(votes, np.eye(votes.n_classes)[truth])
        table = _dirichlet(counts + _crowd(counts, believed, rng), rng)
        scores = shares + scores_of(np.log(table), votes)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        truth = drawn(chances / chances.sum(axis=1, keepdims=True), rng)
        if sweep >= BURN_IN and (sweep - BURN_IN) % THIN == 0:
            yield truth, table


def drawn(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One class of each row of chances."""
    below = chances.cumsum(axis=-1) < rng.random(chances.shape[:-1])[..., None]
    picked: np.ndarray = np.minimum(below.sum(axis=-1), chances.shape[-1] - 1)
    return picked


def scores_of(logs: np.ndarray, votes: Votes) -> np.ndarray:
    """Sums of log p(label | truth) over the votes of each unit; logs: [annotators, classes, labels]."""
    each = logs[votes.annotator, :, votes.label]
    if votes.weight is not None:
        each = each * votes.weight[:, None]
    classes = range(votes.n_classes)
    return np.stack([np.bincount(votes.unit, each[:, k], votes.n_units) for k in classes], axis=1)


def _crowd(counts: np.ndarray, believed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The crowd's s G, [classes, labels]: what an annotator's row is before any vote of theirs."""
    n = counts.sum(axis=2, keepdims=True)
    strength = 8.0
    for _ in range(2):  # a crowd's row counts an annotator's votes as far as they say something new
        told = (counts * strength / (n + strength)).sum(axis=0)
        common = _dirichlet(told + believed, rng)
        fits = np.array([_log_likelihood(counts, s * common) for s in STRENGTHS])
        chances = np.exp(fits - fits.max())
        strength = float(rng.choice(STRENGTHS, p=chances / chances.sum()))
    return strength * common


def _log_likelihood(counts: np.ndarray, prior: np.ndarray) -> float:
    """Of counts whose rows are drawn from Dirichlets (Polya)."""
    from scipy.special import gammaln

    total, n = prior.sum(axis=1), counts.sum(axis=2)
    rows = gammaln(total) - gammaln(n + total)
    return float(rows.sum() + (gammaln(counts + prior) - gammaln(prior)).sum())


def _dirichlet(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    gammas = np.maximum(rng.standard_gamma(counts), TINY)
    made: np.ndarray = np.maximum(gammas / gammas.sum(axis=-1, keepdims=True), TINY)
    return made
