from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import log_softmax, logsumexp, softmax

from manyhands.channels import Batch, LowRank, Sizes
from manyhands.channels.low_rank_module import LowRankModule
from manyhands.errors import ParameterError

from .tiny_batch import (
    batch_of,
    check_climbing,
    check_gradients,
    check_joint,
    exact_gradient_step,
    shake,
    tiny_votes,
)

SPECS = [
    LowRank(combine, latent, embedding=2, hidden=(3,), gamma=0.05)
    for combine, latent in (("add", 1), ("add", 2), ("product", 1), ("product", 2))
]
DESCRIBED = torch.tensor([[1.0, 20.0, 3.0], [2.0, 10.0, 3.0], [4.0, 0.0, 3.0]])


def _module(spec: LowRank, described: bool = False, n_labels: int = 3) -> tuple[LowRankModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    batch = batch_of(votes, n_features=2)
    torch.manual_seed(0)
    module = spec.build(Sizes(3, n_labels, 3, 2, 6, DESCRIBED if described else None))
    module.start(votes, torch.rand(6, 3, generator=torch.Generator().manual_seed(0)))
    module.double()
    module(batch)  # in training mode: scale and sample
    shake(module, by=0.3)
    return module, batch


def _difficulty(module: LowRankModule, x: np.ndarray) -> np.ndarray:
    raw = {name: p.detach().numpy() for name, p in module.named_parameters()}
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    x = x @ raw["network.1.weight"].T + raw["network.1.bias"]
    x = 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(np.minimum(x, 0)) - 1))
    return (x @ raw["network.4.weight"].T + raw["network.4.bias"]).reshape(len(x), *module._shape)


def _competence(module: LowRankModule, described: bool) -> np.ndarray:
    raw = {name: p.detach().numpy() for name, p in module.named_parameters()}
    r = DESCRIBED.double().numpy()
    if described:
        r = np.column_stack([(r[:, :2] - r[:, :2].mean(axis=0)) / r[:, :2].std(axis=0), np.zeros(3)])
    else:
        r = raw["competence.table.weight"]
    return (r @ raw["competence.linear.weight"].T + raw["competence.linear.bias"]).reshape(-1, *module._shape)


def _matrices(module: LowRankModule, batch: Batch, described: bool = False) -> np.ndarray:
    """T [units, annotators, classes, labels] by hand, one cell at a time."""
    d, c = _difficulty(module, batch.features.numpy()), _competence(module, described)
    out = np.empty((len(d), len(c), *module._shape[:2]))
    for i, j, k in np.ndindex(out.shape[:3]):
        if module.spec.combine == "product":
            out[i, j, k] = softmax((d[i, k] * c[j, k]).sum(axis=1))
        else:
            out[i, j, k] = np.exp(log_softmax(logsumexp(d[i, k] + c[j, k], axis=1)))
    return out


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.combine}{s.latent}")
@pytest.mark.parametrize("described", [False, True], ids=["ids", "described"])
@pytest.mark.parametrize("n_labels", [3, 4])
def test_losses_by_enumeration(spec: LowRank, described: bool, n_labels: int) -> None:
    module, batch = _module(spec, described, n_labels)
    t = _matrices(module, batch, described)
    check_joint(module, batch, lambda l, k, j, i: float(t[i, j, k, l]), 3)
    np.testing.assert_allclose(module.matrices_at(batch.features), t, rtol=1e-4)


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.combine}{s.latent}")
def test_confusions_are_averages_by_class(spec: LowRank) -> None:
    module, batch = _module(spec)
    shares = torch.rand(6, 3, generator=torch.Generator().manual_seed(0)).double().numpy()
    expected = np.einsum("ijkl,ik->jkl", _matrices(module, batch), shares / shares.sum(axis=0))
    np.testing.assert_allclose(module.confusions(), expected, rtol=1e-4)


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.combine}{s.latent}")
@pytest.mark.parametrize("described", [False, True], ids=["ids", "described"])
@pytest.mark.slow
def test_gradients(spec: LowRank, described: bool) -> None:
    module, batch = _module(spec, described)
    check_gradients(module, batch, 3)


@pytest.mark.parametrize("spec", [SPECS[0], SPECS[3]], ids=lambda s: f"{s.combine}{s.latent}")
@pytest.mark.slow
def test_em_never_falls(spec: LowRank) -> None:
    module, batch = _module(spec)
    check_climbing(module, batch, 3, exact_gradient_step(module, batch, 3), rounds=5)


def test_penalties_are_the_published_ones() -> None:
    module, batch = _module(LowRank(embedding=2, hidden=(3,), gamma=0.25))
    alpha = 0.25 * 2**2  # of two classes, here as with three
    beta = alpha * 5 / 3  # (A / 3 annotators) / (A / 5 tasks with votes)
    answered = np.unique(batch.unit.numpy())
    d = _difficulty(module, batch.features.numpy())[answered]
    expected = alpha / 2 * (_competence(module, False) ** 2).sum() + beta / 2 * (d**2).sum()
    penalty = module.penalty(batch)
    assert penalty is not None
    np.testing.assert_allclose(float(penalty.detach()), expected, rtol=1e-6)
    product = _module(LowRank("product", 2, embedding=2, hidden=(3,), alpha=0.0, beta=1.0))[0]
    d = _difficulty(product, batch.features.numpy())[answered]
    np.testing.assert_allclose(product.penalty(batch).detach(), ((d - 0.5) ** 2).sum() / 2, rtol=1e-6)
    assert _module(LowRank(gamma=0.0))[0].penalty(batch) is None
    assert _module(LowRank(alpha=1.0, beta=0.5))[0].beta == 0.5


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.combine}{s.latent}")
def test_it_starts_on_the_diagonal(spec: LowRank) -> None:
    confusions = spec.build(Sizes(5, 3, 3, 2)).confusions()
    assert (confusions.argmax(dim=2) == torch.arange(3)).all()


def test_annotators_never_seen() -> None:
    module, batch = _module(SPECS[0], described=True)
    np.testing.assert_allclose(module.matrices_for(DESCRIBED), module.confusions())
    np.testing.assert_allclose(
        module.matrices_at(batch.features, DESCRIBED[:1]), module.matrices_at(batch.features)[:, :1]
    )
    with pytest.raises(ParameterError, match="give 3 a row"):
        module.matrices_for(DESCRIBED[:, :2])
    with pytest.raises(ParameterError, match="built without annotator features"):
        _module(SPECS[0])[0].matrices_for(DESCRIBED)


def test_an_embedding_of_each_task() -> None:
    votes = tiny_votes()
    module = LowRank(by_task=True, hidden=(3,)).build(Sizes(3, 3, 3, 1, 6))
    numbers = torch.arange(6.0)[:, None]
    batch = batch_of(votes)._replace(features=numbers)
    assert module(batch).shape == (len(votes.unit), 3)
    apart = module.difficulty(numbers)
    assert (apart[0] != apart[1]).any()
    assert module.confusions().shape == (3, 3, 3)


def test_bad_choices() -> None:
    with pytest.raises(ParameterError, match="combine='sum' must be one of 'add', 'product'"):
        LowRank("sum")
    with pytest.raises(ParameterError, match="latent=0 must be an integer of at least 1"):
        LowRank(latent=0)
    with pytest.raises(ParameterError, match="channel LowRank depends on the task's features"):
        LowRank().build(Sizes(3, 3, 3))
    with pytest.raises(ParameterError, match="needs the number of tasks"):
        LowRank(by_task=True).build(Sizes(3, 3, 3, 1))
