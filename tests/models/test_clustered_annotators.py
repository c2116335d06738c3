"""Clustered annotators: groups found again, their steps by loops, one group and the module beside."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands import Annotations, ClusteredAnnotators, DawidSkene
from manyhands.channels import AnnotatorGroups, Groups, Sizes
from manyhands.channels.annotator_groups import AnnotatorGroupsParams

from .made import Made, from_matrices

MATRICES = np.array(
    [
        [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]],
        [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.1, 0.1, 0.8]],
        [[1 / 3] * 3] * 3,
    ]
)


def kinds(n_annotators: int, n_tasks: int, each: int, seed: int = 0) -> tuple[Made, np.ndarray]:
    group = np.arange(n_annotators) % 3
    return from_matrices(MATRICES[group], n_tasks, each, seed=seed), group


def test_groups_and_matrices_are_found_again() -> None:
    made, group = kinds(60, 800, 6)
    result = ClusteredAnnotators(n_groups=3).fit(made.table).result_
    table = result.annotators().sort("annotator")
    found = table["group"].to_numpy()
    name = [np.bincount(found[group == g]).argmax() for g in range(3)]
    assert sorted(name) == [0, 1, 2]
    assert (found == np.array(name)[group]).mean() > 0.95
    matrices = np.exp(result.evidence.log_matrices[name]).transpose(0, 2, 1)
    assert np.abs(matrices - MATRICES).max() < 0.08


def test_few_votes_each_are_where_kinds_help() -> None:
    """Eight votes an annotator: matrices of their own are noise, those of their kind are not."""
    gains = []
    for seed in range(4):
        made, _ = kinds(300, 400, 6, seed)
        ours, alone = (m.fit(made.table).predict() for m in (ClusteredAnnotators(n_groups=3), DawidSkene()))
        gains.append((ours == made.truth).mean() - (alone == made.truth).mean())
    assert np.mean(gains) > 0.02


def test_the_steps_by_loops() -> None:
    rng = np.random.default_rng(0)
    counts = torch.tensor(rng.gamma(1.0, 2.0, (5, 3, 3)))
    counts[4] = 0  # said nothing
    channel = AnnotatorGroups(2, 0.5)
    before = channel.maximise(counts)
    after = channel.maximise(counts, before)
    alpha, beta = before.log_shares.exp().numpy(), before.log_matrices.numpy()
    r = np.array(
        [[alpha[m] * np.exp((counts[j].numpy() * beta[m]).sum()) for m in range(2)] for j in range(5)]
    )
    r /= r.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(after.log_belonging.exp().numpy(), r, rtol=1e-8)
    shares = r[:4].sum(axis=0) + 0.5
    np.testing.assert_allclose(after.log_shares.exp().numpy(), shares / shares.sum(), rtol=1e-8)
    matrices = np.einsum("jm,jlk->mlk", r, counts.numpy()) + 0.5
    np.testing.assert_allclose(
        after.log_matrices.exp().numpy(), matrices / matrices.sum(axis=1, keepdims=True), rtol=1e-8
    )
    divergence = (r[:4] * np.log(r[:4] / after.log_shares.exp().numpy())).sum()
    dirichlet = 0.5 * (after.log_matrices.sum() + after.log_shares.sum()).item()
    assert channel.log_prior(after) == pytest.approx(dirichlet - divergence, abs=1e-6)


def test_one_group_is_one_matrix_for_all() -> None:
    made, _ = kinds(12, 200, 5)
    single = ClusteredAnnotators(n_groups=1).fit(made.table).result_
    table = made.table
    lone = Annotations.from_arrays(
        table.task, np.zeros(len(table.task), int), table.answers.values, classes=[0, 1, 2], repeats="all"
    )
    together = DawidSkene().fit(lone).result_
    np.testing.assert_allclose(single.confusion(0), single.confusion(1))
    np.testing.assert_allclose(single.confusion(0), together.confusion(0), atol=1e-4)
    np.testing.assert_allclose(single.chances, together.chances, atol=1e-3)


def test_the_module_of_the_networks_takes_the_same_step() -> None:
    module = Groups(2, per="annotator").build(Sizes(9, 3, 3))
    counts = torch.tensor(np.random.default_rng(1).gamma(1.0, 2.0, (9, 3, 3)))
    params = AnnotatorGroupsParams(
        module.belonging.weight.detach().double().log_softmax(dim=1),
        module.log_shares().detach().double(),
        module.log_matrices().detach().double().permute(0, 2, 1),
        torch.ones(9).double(),
    )
    expected = AnnotatorGroups(2).maximise(counts, params)
    module.update(counts)
    np.testing.assert_allclose(module.belongings().numpy(), expected.log_belonging.exp().numpy(), atol=1e-5)
    np.testing.assert_allclose(
        module.group_confusions().numpy(), expected.log_matrices.exp().transpose(1, 2).numpy(), atol=1e-5
    )
