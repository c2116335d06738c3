from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import expit, log_softmax, softmax

from manyhands.channels import Batch, Common, Sizes
from manyhands.channels.common_likelihood import CommonWeights, common_log_likelihood
from manyhands.channels.common_module import CommonModule
from manyhands.channels.softmax_columns import softmax_columns
from manyhands.channels.unit_gate import unit_gate
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
    "one": Common(length=2, apart=0.1),
    "sharp": Common(length=3, temperature=0.25, apart=0.0),
    "groups": Common(length=2, n_groups=2, apart=0.1, full_sum=True),
    "free groups": Common(length=2, n_groups=2, apart=0.0),
    "logit": Common(length=2, mix="logit", apart=0.1),
    "logit groups": Common(length=2, mix="logit", n_groups=2),
}
DESCRIBED = torch.tensor([[1.0, 20.0, 3.0], [2.0, 10.0, 3.0], [4.0, 0.0, 3.0]])
PROBABILITY = pytest.mark.parametrize("name", [n for n in SPECS if "logit" not in n])
every = pytest.mark.parametrize("name", SPECS)
described = pytest.mark.parametrize("described", [False, True], ids=["ids", "described"])


def _module(
    name: str, described: bool = False, n_labels: int = 3, weighted: bool = False
) -> tuple[CommonModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    batch = batch_of(votes, weighted, n_features=2)
    torch.manual_seed(0)
    module = SPECS[name].build(Sizes(3, n_labels, 3, 2, 6, DESCRIBED if described else None))
    module.start(votes, torch.rand(6, 3, generator=torch.Generator().manual_seed(0)))
    module.double()
    module.log_label(truths(6, 3), batch)  # in training mode: scale and sample
    shake(module)
    return module, batch


def _raw(module: CommonModule) -> dict[str, np.ndarray]:
    return {name: p.detach().numpy() for name, p in module.named_parameters()}


def _annotators(module: CommonModule, described: bool) -> np.ndarray:
    raw, r = _raw(module), DESCRIBED.double().numpy()
    if not described:
        return raw["gate.table.weight"]
    r = np.column_stack([(r[:, :2] - r[:, :2].mean(axis=0)) / r[:, :2].std(axis=0), np.zeros(3)])
    return r @ raw["gate.of_annotator.weight"].T + raw["gate.of_annotator.bias"]


def _shares(module: CommonModule, batch: Batch, described: bool) -> np.ndarray:
    """w [units, annotators]."""
    raw, x = _raw(module), batch.features.numpy()
    v = ((x - x.mean(axis=0)) / x.std(axis=0)) @ raw["gate.of_task.weight"].T + raw["gate.of_task.bias"]
    u = _annotators(module, described)
    cosine = (v / np.linalg.norm(v, axis=1)[:, None]) @ (u / np.linalg.norm(u, axis=1)[:, None]).T
    return expit(cosine / module.spec.temperature)


def _mixed_commons(module: CommonModule, described: bool, bend: bool) -> np.ndarray:
    """W_c (or, bent, C) of each annotator."""
    raw = _raw(module)
    commons = softmax(raw["common"], axis=2) if bend else raw["common"]
    if len(commons) == 1:
        return np.repeat(commons, 3, axis=0)
    chosen = softmax(_annotators(module, described) @ raw["grouping.weight"].T, axis=1)
    return np.einsum("jg,gkl->jkl", chosen, commons)


def _individual(module: CommonModule) -> np.ndarray:
    return _raw(module)["individual.weight"].reshape(3, *module._shape)


@PROBABILITY
@described
@pytest.mark.parametrize("n_labels", [3, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.slow
def test_losses_by_enumeration(name: str, described: bool, n_labels: int, weighted: bool) -> None:
    module, batch = _module(name, described, n_labels, weighted)
    w, common = _shares(module, batch, described), _mixed_commons(module, described, True)
    own = softmax(_individual(module), axis=2)

    def chance(label: int, k: int, j: int, i: int) -> float:
        return float(w[i, j] * common[j, k, label] + (1 - w[i, j]) * own[j, k, label])

    check_joint(module, batch, chance, 3)
    np.testing.assert_allclose(module.shares(batch), w[batch.unit, batch.annotator])


@pytest.mark.parametrize("name", ["logit", "logit groups"])
@described
@pytest.mark.parametrize("n_labels", [3, 4])
def test_logits_are_mixed_before_one_softmax(name: str, described: bool, n_labels: int) -> None:
    module, batch = _module(name, described, n_labels)
    w, common = _shares(module, batch, described), _mixed_commons(module, described, False)
    own, log_truth = _individual(module), truths(6, 3)
    got = module.log_label(log_truth, batch).detach().numpy()
    for n, (i, j, label) in enumerate(np.stack([c.numpy() for c in batch[:3]], axis=1)):
        f = log_truth[i].exp().numpy()
        logits = w[i, j] * (f @ common[j]) + (1 - w[i, j]) * (f @ own[j])
        np.testing.assert_allclose(got[n], log_softmax(logits)[label])


@every
@described
@pytest.mark.slow
def test_gradients(name: str, described: bool) -> None:
    module, batch = _module(name, described)
    check_gradients(module, batch, 3)


@every
def test_few_annotators_or_many_give_the_same(name: str) -> None:
    module, batch = _module(name)
    log_truth = truths(6, 3)
    few = module.log_label(log_truth, batch)
    one = [Batch(*(c[n : n + 1] for c in batch[:3]), None, *batch[4:]) for n in range(len(batch.unit))]
    torch.testing.assert_close(torch.cat([module.log_label(log_truth, b) for b in one]), few)
    if "logit" not in name:
        torch.testing.assert_close(torch.cat([module(b) for b in one]), module(batch))


def _many(batch: Batch) -> Batch:
    """One vote, so that annotators are more than votes."""
    return Batch(*(c[:2] for c in batch[:3]), None, *batch[4:])


@every
@pytest.mark.slow
def test_gradients_with_many_annotators(name: str) -> None:
    module, batch = _module(name)
    check_gradients(module, _many(batch), 3)


def test_pieces_by_finite_differences() -> None:
    g = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64, requires_grad=True)

    unit, annotator, label = (
        torch.tensor([0, 0, 1, 1, 1]),
        torch.tensor([0, 2, 1, 1, 0]),
        torch.tensor([3, 1, 0, 2, 3]),
    )
    temperature = torch.tensor(0.7, dtype=torch.float64)
    for rows, row in ((3, annotator), (5, None)):
        v, u, own, common, f = draw(2, 4), draw(rows, 4), draw(rows, 3, 4), draw(3, 4), draw(2, 3)
        torch.autograd.gradcheck(lambda w, row=row: softmax_columns(w, row, label), (own,))
        torch.autograd.gradcheck(lambda v, u, row=row: unit_gate(v, u, unit, row, temperature), (v, u))
        batch = Batch(unit, annotator, label, None, torch.arange(2))

        def likelihood(*weights: torch.Tensor, batch=batch, row=row) -> torch.Tensor:  # type: ignore[no-untyped-def]
            f, v, u, common, own = weights
            return common_log_likelihood(
                f, CommonWeights(v, u, common, own, temperature, row is not None), batch
            )

        torch.autograd.gradcheck(likelihood, (f, v, u, common, own))


@pytest.mark.parametrize("name", ["sharp", "free groups"])  # what keeps them apart has no maximum
@pytest.mark.slow
def test_em_never_falls(name: str) -> None:
    module, batch = _module(name)
    check_climbing(module, batch, 3, exact_gradient_step(module, batch, 3), rounds=4)


@PROBABILITY
def test_confusions_are_averages_by_class(name: str) -> None:
    module, batch = _module(name)
    shares = torch.rand(6, 3, generator=torch.Generator().manual_seed(0)).double().numpy()
    mean = np.einsum("ij,ik->jk", _shares(module, batch, False), shares / shares.sum(axis=0))
    np.testing.assert_allclose(module.mean_shares(), mean, rtol=1e-4)
    own, common = softmax(_individual(module), axis=2), _mixed_commons(module, False, True)
    expected = mean[:, :, None] * common + (1 - mean[:, :, None]) * own
    np.testing.assert_allclose(module.confusions(), expected, rtol=1e-4)


@pytest.mark.parametrize("name", ["logit", "logit groups"])
def test_confusions_of_logits_are_what_a_sure_network_would_give(name: str) -> None:
    module, _ = _module(name)
    mean = module.mean_shares().numpy()[:, :, None]
    logits = mean * _mixed_commons(module, False, False) + (1 - mean) * _individual(module)
    np.testing.assert_allclose(module.confusions(), softmax(logits, axis=2))


@every
@described
def test_the_penalty_is_the_papers(name: str, described: bool) -> None:
    """-lambda N sum_j |W_c - W_j| over a whole epoch, with all annotators at hand."""
    module, batch = _module(name, described)
    apart = _mixed_commons(module, described, False) - _individual(module)
    expected = -module.spec.apart * 6 * np.sqrt((apart**2).sum(axis=(1, 2))).sum()
    penalty = module.penalty(batch)
    if not module.spec.apart:
        assert penalty is None
        return
    np.testing.assert_allclose(float(penalty.detach()), expected)


def test_the_penalty_of_those_present_is_unbiased() -> None:
    """Batches of one unit: annotators are more than votes, so each sees but its own."""
    full, batch = _module("one")
    total = 0.0
    for i in range(6):
        here = batch.unit == i
        part = Batch(torch.zeros(int(here.sum()), dtype=torch.int64), batch.annotator[here], batch.label[here],
                     None, batch.units[i : i + 1], batch.features[i : i + 1])  # fmt: skip
        if int(here.sum()) >= 3:  # all annotators answered: keep one short of a table
            full.individual.sparse = True
        total += float(full.penalty(part).detach())
        full.individual.sparse = False
    apart = _mixed_commons(full, False, False) - _individual(full)
    expected = -full.spec.apart * 6 * np.sqrt((apart**2).sum(axis=(1, 2))).sum()
    np.testing.assert_allclose(total, expected)


def test_weights_that_are_the_same_have_no_direction_apart() -> None:
    module = Common(noise=0.0, apart=1.0).build(Sizes(3, 3, 3, 2, 6))
    votes = tiny_votes()
    module.start(votes, torch.full((6, 3), 1 / 3))
    batch = batch_of(votes, n_features=2)._replace(features=torch.randn(6, 2))
    module.penalty(batch).backward()
    assert float(module.individual.weight.grad.abs().sum()) == 0


def test_the_start_is_the_published_one_and_the_gate_has_a_gradient() -> None:
    sizes = Sizes(3, 3, 3, 2, 6)
    torch.manual_seed(0)
    exact = Common(noise=0.0).build(sizes)
    expected = np.e**2 / (np.e**2 + 2)
    np.testing.assert_allclose(torch.diagonal(exact.confusions(), dim1=1, dim2=2), expected, rtol=1e-5)
    votes = tiny_votes()
    batch = batch_of(votes, n_features=2)._replace(features=torch.randn(6, 2))
    pull = []
    for module in (exact, Common().build(sizes)):
        module.start(votes, torch.full((6, 3), 1 / 3))
        module.log_label(truths(6, 3).float(), batch).sum().backward()
        pull.append(float(module.gate.of_task.weight.grad.abs().sum()))
    assert pull[0] < 1e-5 < pull[1]


def test_the_gate_is_bounded_until_it_is_sharpened() -> None:
    module, batch = _module("one")
    w = _shares(module, batch, False)
    assert w.min() > expit(-1)
    assert w.max() < expit(1)
    sharp = Common(temperature=0.01).build(Sizes(3, 3, 3, 2, 6))
    shares = sharp.shares(batch._replace(features=batch.features.float()))
    assert float(shares.min()) < 0.1 or float(shares.max()) > 0.9


def test_annotators_never_seen() -> None:
    module, _ = _module("one", described=True)
    answers = module.answers.numpy()
    own = np.einsum("j,jkl->kl", answers / answers.sum(), softmax(_individual(module), axis=2))
    w = module.mean_shares().numpy()[:, :, None]
    expected = w * module.common_confusions()[0].numpy() + (1 - w) * own
    np.testing.assert_allclose(module.matrices_for(DESCRIBED), expected, rtol=1e-5)
    with pytest.raises(ParameterError, match="give 3 a row"):
        module.matrices_for(DESCRIBED[:, :2])
    with pytest.raises(ParameterError, match="built without annotator features"):
        _module("one")[0].matrices_for(DESCRIBED)


def test_large_tables_have_sparse_gradients() -> None:
    module = Common().build(Sizes(300_000, 2, 2, 2, 6))
    assert module.individual.sparse
    assert module.gate.is_sparse
    votes = tiny_votes(k=2)._replace(n_annotators=300_000)
    module.start(votes, torch.full((6, 2), 0.5))
    batch = batch_of(votes, n_features=2)._replace(features=torch.randn(6, 2))
    loss = objective_named("marginal").loss(truths(6, 2).float(), module, batch, None) + module.penalty(batch)
    loss.backward()
    assert module.individual.weight.grad.is_sparse
    assert sorted(set(module.individual.weight.grad.coalesce().indices()[0].tolist())) == [0, 1, 2]


def test_bad_choices() -> None:
    sizes = Sizes(3, 3, 3, 2)
    with pytest.raises(ParameterError, match="mix='sum' must be one of 'probability', 'logit'"):
        Common(mix="sum").build(sizes)
    with pytest.raises(ParameterError, match="temperature=0 must be above 0"):
        Common(temperature=0).build(sizes)
    with pytest.raises(ParameterError, match="length=0 and n_groups=1 must be 1 or more"):
        Common(length=0).build(sizes)
    for name in ("joint", "em", "em-marginal"):
        with pytest.raises(ParameterError, match=r"LogitCommonModule gives p\(label \| f\) whole"):
            objective_named(name).check(Common(mix="logit").build(sizes))
        objective_named(name).check(Common().build(sizes))
    module, batch = _module("logit")
    with pytest.raises(NotImplementedError, match="use objective='marginal'"):
        module(batch)


def test_without_features_the_gate_is_the_annotators_alone() -> None:
    module = Common(length=4).build(Sizes(3, 3, 3))
    unit = torch.tensor([0, 0, 1, 1])
    batch = Batch(
        unit, torch.tensor([0, 1, 0, 1]), torch.tensor([0, 1, 2, 0]), None, torch.arange(2), "no row"
    )
    w = module.shares(batch)
    torch.testing.assert_close(w[:2], w[2:])
    torch.testing.assert_close(module.mean_shares()[:2, 0], w[:2])
    common, own = module.common_confusions()[0], module.individual_confusions()[batch.annotator]
    slow = w[:, None, None] * common + (1 - w)[:, None, None] * own
    torch.testing.assert_close(module(batch).exp(), slow[torch.arange(4), :, batch.label])
