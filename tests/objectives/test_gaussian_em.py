"""The E-step for numbers equals the multivariate normal of scipy and a plain integral."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal, norm

from manyhands.channels import Gaussian, NumberVotes
from manyhands.channels.gaussian import GaussianParams
from manyhands.objectives import GaussianEM


def _case(seed: int) -> tuple[NumberVotes, GaussianParams]:
    rng = np.random.default_rng(seed)
    unit, annotator = np.nonzero(rng.random((5, 4)) < 0.7)
    votes = NumberVotes(unit.astype(np.int32), annotator.astype(np.int32), rng.normal(20, 3, len(unit)), 5, 4)
    params = GaussianParams(*(torch.tensor(v) for v in (
        rng.normal(size=4), rng.normal(size=4), np.array(20.5), np.array(1.3))))  # fmt: skip
    return votes, params


def _normals(
    votes: NumberVotes, params: GaussianParams, unit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mine = votes.unit == unit
    who = votes.annotator[mine]
    return votes.value[mine], params.bias.numpy()[who], np.exp(-params.log_precision.numpy()[who])


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_expect(seed: int, told: bool) -> None:
    votes, params = _case(seed)
    known = np.array([np.nan, 21.0, np.nan, np.nan, 18.0]) if told else None
    problem = GaussianEM(votes, Gaussian(), known)
    truth, objective = problem.expect(params)
    centre, spread = float(params.centre), float(params.log_spread.exp())
    likelihood = 0.0
    for i in range(5):
        value, bias, variance = _normals(votes, params, i)
        if known is not None and not np.isnan(known[i]):
            likelihood += norm.logpdf(known[i], centre, spread**0.5)
            likelihood += norm.logpdf(value, known[i] + bias, variance**0.5).sum()
            assert (truth.mean[i], truth.variance[i]) == (known[i], 0)
            continue
        if len(value):
            joint = multivariate_normal(centre + bias, spread + np.diag(variance))
            likelihood += joint.logpdf(value)

        grid = np.linspace(-20, 60, 400_001)
        log_density = norm.logpdf(grid, centre, spread**0.5)
        for v, shift, var in zip(value, bias, variance, strict=True):
            log_density += norm.logpdf(v, grid + shift, var**0.5)
        weight = np.exp(log_density - log_density.max())
        mean = (weight * grid).sum() / weight.sum()
        assert truth.mean[i].item() == pytest.approx(mean, rel=1e-9)
        variance_there = (weight * (grid - mean) ** 2).sum() / weight.sum()
        assert truth.variance[i].item() == pytest.approx(variance_there, rel=1e-6)
    penalty = problem.channel.log_prior(params, problem._scale)
    assert objective - penalty == pytest.approx(likelihood, rel=1e-9)


def test_wild_numbers_lose_no_digits() -> None:
    """A centre of a million and tight answers: nothing cancels."""
    votes, params = _case(0)
    far = votes._replace(value=votes.value + 1e6)
    moved = params._replace(centre=params.centre + 1e6)
    one, two = GaussianEM(votes, Gaussian()).expect(params), GaussianEM(far, Gaussian()).expect(moved)
    np.testing.assert_allclose(two[0].mean.numpy() - 1e6, one[0].mean.numpy(), atol=1e-8)
    assert two[1] == pytest.approx(one[1], rel=1e-7)
