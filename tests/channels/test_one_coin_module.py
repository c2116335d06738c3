from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import expit

from manyhands.channels import Batch, OneCoin, Sizes
from manyhands.channels.one_coin_module import OneCoinModule
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


def _module(spec: OneCoin, n_labels: int = 3) -> tuple[OneCoinModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    module = spec.build(Sizes(3, n_labels, 3))
    module.start(votes, torch.zeros(0))
    shake(module)
    return module, batch_of(votes)


@pytest.mark.parametrize("n_labels", [3, 4])
def test_losses_by_enumeration(n_labels: int) -> None:
    module, batch = _module(OneCoin(), n_labels)
    right = expit(module.logit.weight.detach().numpy()[:, 0])

    def chance(label: int, truth: int, j: int, unit: int) -> float:
        if label == 3:  # "cannot say" tells nothing
            return 1.0
        return float(right[j] if label == truth else (1 - right[j]) / 2)

    check_joint(module, batch, chance, 3)
    np.testing.assert_allclose(module.confusions().sum(dim=2), 1)
    if n_labels == 3:
        expected = [[[chance(l, k, j, 0) for l in range(3)] for k in range(3)] for j in range(3)]
        np.testing.assert_allclose(module.confusions(), expected)


def test_weighted_losses() -> None:
    module, _ = _module(OneCoin())
    right = expit(module.logit.weight.detach().numpy()[:, 0])
    batch = batch_of(tiny_votes(), weighted=True)
    check_joint(module, batch, lambda l, k, j, i: float(right[j] if l == k else (1 - right[j]) / 2), 3)


@pytest.mark.parametrize("spec", [OneCoin(), OneCoin(2.0, 1.0)])
def test_gradients(spec: OneCoin) -> None:
    module, batch = _module(spec)
    check_gradients(module, batch, 3)


def test_penalty_is_the_beta_prior() -> None:
    module, batch = _module(OneCoin(2.0, 1.0))
    right = expit(module.logit.weight.detach().numpy()[:, 0])
    expected = -(2 * np.log(right) + np.log(1 - right)).sum()
    np.testing.assert_allclose(module.penalty(batch).detach(), expected, rtol=1e-6)  # type: ignore[union-attr]
    assert _module(OneCoin())[0].penalty(batch) is None


@pytest.mark.parametrize("closed", [True, False])
def test_em_never_falls(closed: bool) -> None:
    module, batch = _module(OneCoin(2.0, 1.0))

    def update(name: str, targets: torch.Tensor) -> None:
        votes = targets if name == "em-marginal" else targets[batch.unit]
        counts = torch.zeros(3, 3, 3, dtype=torch.float64)
        counts.index_put_((batch.annotator, batch.label), votes, accumulate=True)
        assert module.update(counts)

    check_climbing(module, batch, 3, update if closed else exact_gradient_step(module, batch, 3))


def test_one_class_is_always_right() -> None:
    module = OneCoin().build(Sizes(2, 1, 1))
    np.testing.assert_array_equal(module.confusions(), np.ones((2, 1, 1)))
    assert (module(batch_of(tiny_votes(k=1, r=2))) == 0).all()


def test_start_and_bad_start() -> None:
    assert float(OneCoin(accuracy=0.7).build(Sizes(1, 4, 4)).confusions()[0, 0, 0]) == pytest.approx(0.7)
    with pytest.raises(ParameterError, match=r"accuracy=1.0 must be above 0 and below 1"):
        OneCoin(accuracy=1.0)
