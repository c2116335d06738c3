"""Weights of the mixture of methods that makes held-out votes likeliest."""

from __future__ import annotations

import numpy as np

__all__ = ["stack_weights"]

MOST_STEPS = 500
TOL = 1e-7  # of the mean log-likelihood of a vote


def stack_weights(log_likelihood: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    r"""$\arg\max_w \sum_n \log \sum_m w_m p_m(l_n)$ on the simplex, by EM (log-score stacking).

    log_likelihood: [methods, votes]. Concave: twins share what one of them would have got.

    >>> stack_weights(np.log([[0.9, 0.9, 0.1], [0.5, 0.5, 0.5]])).round(2).tolist()
    [0.42, 0.58]
    """
    share = np.ones(log_likelihood.shape[1]) if weight is None else weight
    share = share / share.sum()
    chance = np.exp(log_likelihood - log_likelihood.max(axis=0))
    weights = np.full(len(chance), 1 / len(chance))
    before = -np.inf
    for _ in range(MOST_STEPS):
        mixed = weights @ chance
        now = float(share @ np.log(mixed))
        if now - before < TOL:
            break
        before = now
        weights = weights * ((chance / mixed) @ share)
    return weights / weights.sum()
