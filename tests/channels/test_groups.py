from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from scipy.special import logsumexp, softmax
from torch import Tensor

from manyhands.channels import Batch, Groups, Sizes, Votes
from manyhands.channels.annotator_groups_module import AnnotatorGroupsModule
from manyhands.channels.group_start import annotator_clusters, pair_clusters
from manyhands.channels.groups_module import GatedGroupsModule, GroupsModule
from manyhands.errors import ParameterError
from manyhands.objectives.objective import objective_named

from .tiny_batch import (
    batch_of,
    check_climbing,
    check_gradients,
    check_joint,
    exact_gradient_step,
    shake,
    tiny_votes,
    truths,
)

SPECS = {
    "plain": Groups(2),
    "smoothed": Groups(3, smoothing=0.5),
    "gated": Groups(2, gate="features"),
    "deep gate": Groups(2, gate="features", hidden=(3,), smoothing=0.5),
    "annotators": Groups(2, per="annotator"),
    "annotators, smoothed": Groups(3, per="annotator", smoothing=0.5),
}
every = pytest.mark.parametrize("name", SPECS)


def _module(name: str, n_labels: int = 3, weighted: bool = False) -> tuple[GroupsModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    batch = batch_of(votes, weighted, n_features=2)
    torch.manual_seed(0)
    module = SPECS[name].build(Sizes(3, n_labels, 3, 2, 6))
    module.start(votes, torch.rand(6, 3, generator=torch.Generator().manual_seed(0)).softmax(1))
    module.double()
    module(batch)  # in training mode: scale and sample
    shake(module)
    return module, batch


def _parts(module: GroupsModule) -> tuple[np.ndarray, np.ndarray]:
    raw = {key: p.detach().numpy() for key, p in module.named_parameters()}
    return raw["mixing"], softmax(raw["matrices"], axis=2)


def _counts(batch: Batch, targets: Tensor, r: int, n_labels: int) -> Tensor:
    """[annotators, labels, classes], one vote at a time."""
    counts = torch.zeros(r, n_labels, targets.shape[1], dtype=torch.float64)
    for n, (j, label) in enumerate(zip(batch.annotator.tolist(), batch.label.tolist(), strict=True)):
        counts[j, label] += targets[n]
    return counts


@pytest.mark.parametrize("name", ["plain", "smoothed"])
@pytest.mark.parametrize("n_labels", [3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_by_enumeration(name: str, n_labels: int, weighted: bool) -> None:
    module, batch = _module(name, n_labels, weighted)
    mixing, beta = _parts(module)
    overall = sum(a * b for a, b in zip(softmax(mixing), beta, strict=True))
    check_joint(module, batch, lambda l, k, j, i: overall[k, l], 3)
    np.testing.assert_allclose(module.overall_confusion(), overall)


def test_a_gate_on_features_by_enumeration() -> None:
    module, batch = _module("gated")
    mixing, beta = _parts(module)
    x = batch.features.numpy()
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    linear = module.gate[-1]
    alpha = softmax(mixing + x @ linear.weight.detach().numpy().T + linear.bias.detach().numpy(), axis=1)
    check_joint(module, batch, lambda l, k, j, i: float(alpha[i] @ beta[:, k, l]), 3)
    np.testing.assert_allclose(module.group_shares(), alpha.mean(axis=0), rtol=1e-6)
    weights = module.tasks.weights.double().numpy()
    expected = np.einsum("ik,im,mkl->kl", weights, alpha, beta)
    np.testing.assert_allclose(module.overall_confusion(), expected, rtol=1e-5)


def _exact_one_group_an_annotator(module: AnnotatorGroupsModule, batch: Batch, joint: bool) -> float:
    """log p by enumeration over every annotator's group, and over all truths."""
    alpha, beta = softmax(_parts(module)[0]), _parts(module)[1]
    f = truths(batch.n_units, 3).exp().numpy()
    votes = list(zip(batch.unit.tolist(), batch.annotator.tolist(), batch.label.tolist(), strict=True))
    total = 0.0
    for groups in itertools.product(range(len(alpha)), repeat=3):
        p = np.prod(alpha[list(groups)])
        if joint:
            for i in range(batch.n_units):
                mine = [(j, label) for u, j, label in votes if u == i]
                p *= sum(
                    f[i, k] * np.prod([beta[groups[j], k, label] for j, label in mine]) for k in range(3)
                )
        else:
            p *= np.prod([f[i] @ beta[groups[j], :, label] for i, j, label in votes])
        total += p
    return float(np.log(total))


@pytest.mark.parametrize("objective", ["marginal", "joint"])
def test_one_group_an_annotator_is_bounded_by_the_exact_likelihood(objective: str) -> None:
    module, batch = _module("annotators")
    assert isinstance(module, AnnotatorGroupsModule)
    log_truth = truths(batch.n_units, 3)

    def bound() -> float:
        loss = objective_named(objective).loss(log_truth, module, batch, None) + module.penalty(batch)
        return -float(loss.detach())

    exact = _exact_one_group_an_annotator(module, batch, objective == "joint")
    assert bound() < exact
    with torch.no_grad():  # certain groups, all alike a priori: the bound is tight where groups are the same
        module.matrices.copy_(module.matrices[:1].expand_as(module.matrices))
        module.belonging.weight.copy_(module.mixing.expand(3, 2))
    np.testing.assert_allclose(bound(), _exact_one_group_an_annotator(module, batch, objective == "joint"))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["annotators", "annotators, smoothed"])
def test_bound_by_loops(name: str, weighted: bool) -> None:
    module, batch = _module(name, weighted=weighted)
    assert isinstance(module, AnnotatorGroupsModule)
    mixing, beta = _parts(module)
    alpha, r = softmax(mixing), softmax(module.belonging.weight.detach().numpy(), axis=1)
    rows = module(batch).detach().numpy()
    for n, (j, label) in enumerate(zip(batch.annotator.tolist(), batch.label.tolist(), strict=True)):
        expected = sum(r[j, m] * np.log(beta[m, :, label]) for m in range(len(alpha)))
        np.testing.assert_allclose(rows[n], expected)
    smoothing = module.spec.smoothing
    expected = sum((r[j] * np.log(r[j] / alpha)).sum() for j in range(3))
    share = float(batch.weight_sum()) / module.total
    expected -= share * smoothing * (np.log(alpha).sum() + np.log(beta).sum())
    np.testing.assert_allclose(float(module.penalty(batch).detach()), expected)


def test_few_annotators_or_many_give_the_same() -> None:
    module, batch = _module("annotators")
    few = module(batch)  # rows of a table: 3 x 3 of them, 13 votes
    one = [Batch(*(c[n : n + 1] for c in batch[:3]), None, batch.units) for n in range(len(batch.unit))]
    torch.testing.assert_close(torch.cat([module(b) for b in one]), few)


@every
@pytest.mark.slow
def test_gradients(name: str) -> None:
    module, batch = _module(name)
    check_gradients(module, batch, 3)


@pytest.mark.parametrize("name", [n for n in SPECS if "gate" not in n])
def test_em_in_closed_form_never_falls(name: str) -> None:
    module, batch = _module(name)

    def m_step(objective: str, targets: Tensor) -> None:
        votes = targets if objective == "em-marginal" else targets[batch.unit]
        assert module.update(_counts(batch, votes, 3, 3))

    check_climbing(module, batch, 3, m_step)


@pytest.mark.parametrize("name", ["gated", "annotators, smoothed"])
def test_em_by_gradient_never_falls(name: str) -> None:
    module, batch = _module(name)
    check_climbing(module, batch, 3, exact_gradient_step(module, batch, 3), rounds=4)


@pytest.mark.parametrize("name", [n for n in SPECS if "gate" not in n])
@pytest.mark.slow
def test_closed_form_ends_where_the_gradient_is_nought(name: str) -> None:
    """Given the E-step's targets, repeated updates reach a point that no gradient improves."""
    module, batch = _module(name)
    votes = torch.rand(len(batch.unit), 3, generator=torch.Generator().manual_seed(1)).double().softmax(1)
    module.total = float(len(batch.unit))
    for _ in range(3000):
        module.update(_counts(batch, votes, 3, 3))
    flat = torch.zeros(batch.n_units, 3, dtype=torch.float64)
    loss = objective_named("em-marginal").loss(flat, module, batch, votes)
    penalty = module.penalty(batch)
    (loss if penalty is None else loss + penalty).backward()
    for p in module.parameters():
        assert p.grad is not None
        assert float(p.grad.abs().max()) < 2e-4


def test_one_update_is_equation_6() -> None:
    module, _ = _module("plain")
    mixing, beta = _parts(module)
    alpha = softmax(mixing)
    counts = torch.rand(3, 3, 3, generator=torch.Generator().manual_seed(1)).double()
    a, b = np.zeros(2), np.zeros((2, 3, 3))
    for j, label, k in itertools.product(range(3), repeat=3):
        for m in range(2):
            q = alpha[m] * beta[m, k, label] / sum(alpha[g] * beta[g, k, label] for g in range(2))
            a[m] += q * float(counts[j, label, k])
            b[m, k, label] += q * float(counts[j, label, k])
    module.update(counts)
    np.testing.assert_allclose(module.group_shares(), a / a.sum(), atol=1e-8)
    np.testing.assert_allclose(module.group_confusions(), b / b.sum(axis=2, keepdims=True), atol=1e-8)


def test_the_start_is_an_m_step_from_clusters() -> None:
    votes = tiny_votes(n=40, r=4)
    shares = torch.rand(40, 3, generator=torch.Generator().manual_seed(0)).double().softmax(dim=1)
    torch.manual_seed(5)
    cluster = pair_clusters(votes, shares.numpy(), 2)
    torch.manual_seed(5)
    module = Groups(2).build(Sizes(4, 3, 3)).double()
    torch.manual_seed(5)
    module.start(votes, shares)
    counts = np.zeros((2, 3, 3))
    for n in range(len(votes.unit)):
        counts[cluster[n], :, votes.label[n]] += shares[votes.unit[n]].numpy()
    assert (counts.sum(axis=(1, 2)) > 0).all()
    np.testing.assert_allclose(module.group_shares(), counts.sum(axis=(1, 2)) / counts.sum(), atol=1e-7)
    expected = counts / counts.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(module.group_confusions(), expected, atol=1e-7)


def test_equal_pairs_are_in_one_cluster_and_lone_labels_apart() -> None:
    """Two kinds of pairs: with the majority of their task, or alone against it."""
    unit, annotator = np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30)
    label = np.tile([0, 0, 1], 30)
    votes = Votes(unit, annotator, label, None, 30, 3, 2, 2)
    shares = np.tile([2 / 3, 1 / 3], (30, 1))
    cluster = pair_clusters(votes, shares, 2)
    assert len(set(cluster[label == 0])) == len(set(cluster[label == 1])) == 1
    assert cluster[0] != cluster[2]
    assert set(pair_clusters(votes, shares, 9)) <= {0, 1}  # no more clusters than kinds


def test_annotators_cluster_by_what_they_do() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    said = np.stack([truth, truth, truth, 1 - truth, 1 - truth], axis=1)
    unit, annotator = np.divmod(np.arange(said.size), 5)
    votes = Votes(unit, annotator, said.ravel(), None, 200, 5, 2, 2)
    cluster = annotator_clusters(votes, np.eye(2)[truth], 2)
    assert cluster.tolist() in ([0, 0, 0, 1, 1], [1, 1, 1, 0, 0])


@pytest.mark.parametrize("name", ["plain", "annotators"])
@pytest.mark.parametrize("weighted", [False, True])
def test_membership_of_annotators_by_their_labels(name: str, weighted: bool) -> None:
    """p(m | j) ~ alpha_m prod_n sum_k f_k beta_m[k, l]: also of one never seen before."""
    module, batch = _module(name, weighted=weighted)
    batch = batch._replace(annotator=batch.annotator + 1)  # annotator 3 is new, 0 said nothing
    alpha, beta = softmax(_parts(module)[0]), _parts(module)[1]
    log_truth = truths(batch.n_units, 3)
    expected = np.tile(np.log(alpha), (4, 1))
    for n in range(len(batch.unit)):
        w = 1.0 if batch.weight is None else float(batch.weight[n])
        f = log_truth[batch.unit[n]].exp().numpy()
        expected[batch.annotator[n]] += w * np.log(f @ beta[:, :, batch.label[n]].T)
    expected = np.exp(expected - logsumexp(expected, axis=1, keepdims=True))
    evidence = module.evidence(log_truth, batch)
    np.testing.assert_allclose(module.memberships(evidence), expected)
    np.testing.assert_allclose(expected[0], alpha)
    matrices = module.matrices_of(module.memberships(evidence))
    np.testing.assert_allclose(matrices, np.einsum("jm,mkl->jkl", expected, beta))


def test_confusions_before_and_after_annotators_are_known() -> None:
    module, batch = _module("plain")
    for matrix in module.confusions():
        torch.testing.assert_close(matrix, module.overall_confusion())
    module.known.copy_(module.evidence(truths(6, 3), batch))
    assert (module.confusions()[0] != module.confusions()[1]).any()


def test_groups_cannot_tell_themselves_apart() -> None:
    """Only B enters: two modules with the same B have the same losses (SYSTEMS: the trap)."""
    module, batch = _module("plain")
    one = Groups(1).build(Sizes(3, 3, 3)).double()
    one.set_groups(torch.ones(1).double(), module.overall_confusion()[None] * 1e6)
    for name in ("marginal", "joint"):
        loss = [objective_named(name).loss(truths(6, 3), m, batch, None) for m in (module, one)]
        torch.testing.assert_close(*loss)


def test_silent_annotators_count_for_no_group() -> None:
    module, _ = _module("annotators")
    counts = torch.rand(3, 3, 3, generator=torch.Generator().manual_seed(1)).double()
    counts[2] = 0
    module.update(counts)
    r = softmax(module.belonging.weight.detach().numpy(), axis=1)
    np.testing.assert_allclose(module.group_shares(), r[:2].mean(axis=0), atol=1e-7)


def test_bad_choices() -> None:
    sizes = Sizes(3, 3, 3, 2)
    with pytest.raises(ParameterError, match="per='task' must be one of 'annotation', 'annotator'"):
        Groups(per="task").build(sizes)
    with pytest.raises(ParameterError, match="gate='x' must be one of 'none', 'features'"):
        Groups(gate="x").build(sizes)
    with pytest.raises(ParameterError, match="they exclude each other; use per='annotation'"):
        Groups(per="annotator", gate="features").build(sizes)
    with pytest.raises(ParameterError, match="n_groups=0 must be 1 or more"):
        Groups(0).build(sizes)
    with pytest.raises(ParameterError, match="depends on the task's features"):
        Groups(gate="features").build(Sizes(3, 3, 3))
    assert isinstance(Groups(gate="features").build(sizes), GatedGroupsModule)
    assert not Groups(gate="features").build(sizes).update(torch.ones(3, 3, 3))
