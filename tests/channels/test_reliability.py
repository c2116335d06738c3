from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands.channels import Reliability, Sizes
from manyhands.errors import ParameterError
from manyhands.objectives.objective import objective_named
from manyhands.training.rounds import closed_form_counts
from manyhands.training.vote_data import VoteData

from .tiny_batch import batch_of, check_climbing, check_gradients, check_joint, shake, tiny_votes, truths


def module_of(k: int = 3) -> object:
    module = Reliability().build(Sizes(3, k, k))
    shake(module)
    return module


def test_losses_are_sums_over_all_truths() -> None:
    votes, module = tiny_votes(), module_of()
    phi = module.reliable().numpy()
    check_joint(
        module,
        batch_of(votes, weighted=True),
        lambda label, z, j, i: phi[j] * (label == z) + (1 - phi[j]) / 3,
        3,
    )
    matrices = module.confusions().numpy()
    np.testing.assert_allclose(matrices.sum(axis=2), 1)
    np.testing.assert_allclose(matrices[1], phi[1] * np.eye(3) + (1 - phi[1]) / 3)


def test_gradients() -> None:
    votes = tiny_votes()
    check_gradients(module_of(), batch_of(votes, weighted=True), 3)


def test_the_e_step_by_enumeration_of_earnest_and_truth() -> None:
    """In earnest or not times every truth: the posterior of each, and Rodrigues' own formula."""
    votes, module = tiny_votes(), module_of()
    batch, log_f = batch_of(votes), truths(6, 3)
    f, phi = log_f.exp().numpy(), module.reliable().numpy()
    found = objective_named("em-marginal").expect(log_f, module, batch).detach().numpy()
    earnest = module.in_earnest().numpy()
    for n, (i, j, label) in enumerate(zip(votes.unit, votes.annotator, votes.label, strict=True)):
        mass = np.zeros((2, 3))
        for z in (0, 1):
            for k in range(3):
                mass[z, k] = f[i, k] * (phi[j] * (k == label) if z else (1 - phi[j]) / 3)
        np.testing.assert_allclose(found[n], mass.sum(axis=0) / mass.sum(), rtol=1e-9)
        paper = phi[j] * f[i, label] / (phi[j] * f[i, label] + (1 - phi[j]) / 3)
        assert mass[1].sum() / mass.sum() == pytest.approx(paper)
        assert found[n, label] * earnest[j] == pytest.approx(paper)


def test_em_climbs_and_phi_is_the_mean_of_its_posterior() -> None:
    votes, module = tiny_votes(n=40, seed=3), module_of()
    batch, data = batch_of(votes), VoteData(votes)

    def m_step(name: str, targets: torch.Tensor) -> None:
        per_vote = targets if name == "em-marginal" else targets[batch.unit]
        expected = np.zeros(3)
        chance = (
            per_vote.numpy()[np.arange(len(votes.unit)), votes.label]
            * module.in_earnest().numpy()[votes.annotator]
        )
        np.add.at(expected, votes.annotator, chance)
        assert module.update(closed_form_counts(per_vote, data))
        np.testing.assert_allclose(
            module.reliable().numpy(), expected / np.bincount(votes.annotator), rtol=1e-6
        )

    check_climbing(module, batch, 3, m_step)


def test_cannot_say_is_never_in_earnest_and_the_silent_keep_their_start() -> None:
    module = Reliability(0.6).build(Sizes(2, 3, 2)).double()
    counts = torch.zeros(2, 3, 2, dtype=torch.float64)
    counts[0, 2] = 1.0
    module.update(counts)
    np.testing.assert_allclose(module.reliable().numpy(), [0, 0.6], atol=1e-6)


def test_where_it_starts_is_checked() -> None:
    with pytest.raises(ParameterError, match=r"reliable=1\.0"):
        Reliability(1.0)
