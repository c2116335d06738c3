"""The weights of the stack: scipy's optimum, twins, and what the mixture believes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from manyhands.results.posterior import NumberPosterior
from manyhands.selection.mixture import mixture
from manyhands.selection.stacking import stack_weights


def test_against_scipy() -> None:
    rng = np.random.default_rng(0)
    table = np.log(rng.beta(3, 2, (3, 200)))
    share = rng.random(200)

    def loss(free: np.ndarray) -> float:
        weights = np.exp(free) / np.exp(free).sum()
        return -float(share @ np.log(weights @ np.exp(table)) / share.sum())

    best = minimize(loss, np.zeros(3), method="BFGS", tol=1e-10)
    weights = stack_weights(table, share)
    assert weights.sum() == pytest.approx(1)
    assert loss(np.log(np.maximum(weights, 1e-300))) == pytest.approx(best.fun, abs=1e-4)


def test_twins_share_and_do_not_add_up() -> None:
    rng = np.random.default_rng(1)
    table = np.log(rng.beta(3, 2, (2, 300)))
    one, twins = stack_weights(table), stack_weights(table[[0, 1, 1]])
    assert twins[1] == pytest.approx(twins[2])
    assert twins[0] == pytest.approx(one[0], abs=0.02)


def test_numbers_have_the_moments_of_the_mixture() -> None:
    parts = [NumberPosterior(np.array([0.0, 1.0]), np.array([1.0, 1.0])), NumberPosterior(np.array([4.0, np.nan]), np.array([3.0, np.nan]))]  # fmt: skip
    mixed = mixture(parts, np.array([0.5, 0.5]))
    rng = np.random.default_rng(0)
    drawn = np.concatenate([rng.normal(0, 1, 200_000), rng.normal(4, 3, 200_000)])
    np.testing.assert_allclose([mixed.mean[0], mixed.sd[0]], [drawn.mean(), drawn.std()], atol=0.02)
    assert (mixed.mean[1], mixed.sd[1]) == (1.0, 1.0)
