"""Common noise against brute force, and a crowd whose common matrix is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.channels import CommonConfusion
from manyhands.channels.common_confusion import CommonParams
from manyhands.objectives import JointEM, JointParams

from ..objectives.tiny import enumerate_truths, tiny_votes


def test_the_e_step_is_brute_force_over_truths_and_kinds() -> None:
    """Whose each vote is is summed out with the truth."""
    votes, rng = tiny_votes(4, 4, 3, 2), np.random.default_rng(1)
    common, own = rng.dirichlet(np.ones(2), 2), rng.dirichlet(np.ones(2), (3, 2))
    share, prior = rng.uniform(0.2, 0.8, 3), np.array([0.3, 0.7])

    def chance(label: int, truth: int, j: int, i: int) -> float:
        return float(share[j] * common[truth, label] + (1 - share[j]) * own[j, truth, label])

    expected, likelihood = enumerate_truths(votes, prior, chance, None)
    params = CommonParams(
        torch.tensor(np.log(common.T)),
        torch.tensor(np.log(own.transpose(0, 2, 1))),
        torch.tensor(np.log(share / (1 - share))),
    )
    channel, log_truth = CommonConfusion(0.0, 0.0, 0.0, 0.0), torch.tensor(np.log(prior))
    problem = JointEM(votes, channel, log_truth=log_truth, dtype=torch.float64)
    posterior, objective = problem.expect(JointParams(log_truth, params))
    np.testing.assert_allclose(posterior.numpy(), expected, rtol=1e-9)
    assert objective == pytest.approx(likelihood, abs=1e-6)


def test_the_m_step_shares_out_the_counts_by_bayes() -> None:
    """One step, an annotator, a label and a class at a time."""
    rng, channel = np.random.default_rng(0), CommonConfusion(1.0, 2.0, 3.0, 4.0)
    counts = torch.tensor(rng.gamma(2.0, 2.0, (3, 2, 2)))
    before = channel.maximise(counts)
    after = channel.maximise(counts, before)
    common, own = before.log_common.exp().numpy(), before.log_own.exp().numpy()
    share = 1 / (1 + np.exp(-before.logit.numpy()))
    shared, mine = np.zeros((3, 2, 2)), np.zeros((3, 2, 2))
    for j, label, k in np.ndindex(3, 2, 2):
        a, b = share[j] * common[label, k], (1 - share[j]) * own[j, label, k]
        shared[j, label, k] = float(counts[j, label, k]) * a / (a + b)
        mine[j, label, k] = float(counts[j, label, k]) - shared[j, label, k]
    prior = np.array([[1.0, 2.0], [2.0, 1.0]])
    np.testing.assert_allclose(
        after.log_common.exp(), shared.sum(axis=0) / shared.sum(axis=(0, 1)), rtol=1e-6
    )
    rows = mine + prior
    np.testing.assert_allclose(after.log_own.exp(), rows / rows.sum(axis=1, keepdims=True), rtol=1e-6)
    odds = (shared.sum(axis=(1, 2)) + 3) / (mine.sum(axis=(1, 2)) + 4)
    np.testing.assert_allclose(after.logit.exp(), odds, rtol=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mixed_matrices_are_recovered_better_than_by_matrices_alone(seed: int) -> None:
    """Fifty annotators of sixty votes each, three in five of which are of the common noise."""
    rng = np.random.default_rng(seed)
    common = np.array([[0.6, 0.4, 0.0], [0.0, 0.6, 0.4], [0.4, 0.0, 0.6]])
    own = np.stack([[rng.dirichlet(row) for row in 6 * np.eye(3) + 1] for _ in range(50)])
    truth = rng.integers(0, 3, 500)
    who = np.stack([rng.permutation(50)[:6] for _ in range(500)])
    chances = 0.6 * common[truth][:, None] + 0.4 * own[who, truth[:, None]]
    label = (chances.cumsum(axis=2) < rng.random((500, 6, 1))).sum(axis=2).clip(max=2)
    task = np.repeat(np.arange(500), 6)
    labels = mh.Annotations.from_arrays(task, who.ravel(), label.ravel(), annotators=list(range(50)))
    gaps = []
    for model in (mh.CommonNoise(), mh.DawidSkene(right=1.0, wrong=1.0)):
        result = model.fit(labels).result_
        found = np.stack([result.confusion(j) for j in range(50)])
        gaps.append(np.abs(found - (0.6 * common + 0.4 * own)).mean())
        assert (result.chances.argmax(axis=1) == truth).mean() > 0.93
    assert gaps[0] < 0.95 * gaps[1]
