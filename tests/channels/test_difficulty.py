from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import expit

from manyhands.channels import Batch, Difficulty, Sizes
from manyhands.channels.difficulty import DifficultyModule
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

SPEC = Difficulty(hidden=(3,))


def _module(spec: Difficulty = SPEC, n_labels: int = 3) -> tuple[DifficultyModule, Batch]:
    votes = tiny_votes(n_labels=n_labels)
    batch = batch_of(votes, n_features=2)
    torch.manual_seed(0)
    module = spec.build(Sizes(3, n_labels, 3, 2, 6))
    module.start(votes, torch.rand(6, 3, generator=torch.Generator().manual_seed(0)))
    module.double()
    module(batch)  # in training mode: scale and sample
    shake(module)
    return module, batch


def _right(module: DifficultyModule, batch: Batch) -> np.ndarray:
    """p(right) [annotators, units] by hand: features scaled, one hidden layer, two sigmoids."""
    raw = {name: p.detach().numpy() for name, p in module.named_parameters()}
    x = batch.features.numpy()
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    hidden = np.maximum(x @ raw["network.1.weight"].T + raw["network.1.bias"], 0)
    g = hidden @ raw["network.4.weight"].T + raw["network.4.bias"]
    easiness = module.spec.least + module.spec.spread * expit(g[:, 0])
    return expit(raw["ability.weight"] * easiness)


@pytest.mark.parametrize("n_labels", [3, 4])
def test_losses_by_enumeration(n_labels: int) -> None:
    module, batch = _module(n_labels=n_labels)
    right = _right(module, batch)

    def chance(label: int, truth: int, j: int, i: int) -> float:
        if label == 3:  # "cannot say" tells nothing
            return 1.0
        return float(right[j, i] if label == truth else (1 - right[j, i]) / 2)

    check_joint(module, batch, chance, 3)


def test_confusions_are_averages_by_class() -> None:
    module, batch = _module()
    shares = torch.rand(6, 3, generator=torch.Generator().manual_seed(0)).double().numpy()
    right = _right(module, batch) @ (shares / shares.sum(axis=0))
    confusions = module.confusions().numpy()
    np.testing.assert_allclose(confusions.diagonal(axis1=1, axis2=2), right, rtol=1e-4)
    np.testing.assert_allclose(confusions.sum(axis=2), 1)
    np.testing.assert_allclose(confusions[:, 0, 1], (1 - right[:, 0]) / 2, rtol=1e-4)


def test_gradients() -> None:
    module, batch = _module()
    check_gradients(module, batch, 3)


def test_em_never_falls() -> None:
    module, batch = _module()
    check_climbing(module, batch, 3, exact_gradient_step(module, batch, 3), rounds=4)


def test_scales_of_the_paper_are_the_same_model() -> None:
    """Fifty times the easiness and a fiftieth of the ability: only the product counts."""
    ours, batch = _module()
    paper, _ = _module(Difficulty((3,), 0.5, 0.028, 0.001, 100.0))
    paper.load_state_dict(ours.state_dict())
    with torch.no_grad():
        paper.ability.weight /= 50
    np.testing.assert_allclose(paper(batch).detach(), ours(batch).detach(), rtol=1e-10)


def test_start_is_eight_in_ten() -> None:
    module = Difficulty().build(Sizes(3, 3, 3, 2))
    diagonal = module.confusions().diagonal(dim1=1, dim2=2)
    assert float((diagonal - 0.8).abs().max()) < 0.03


def test_an_adversary_is_learnt() -> None:
    votes = tiny_votes(n=60, r=3, k=2, seed=1)
    truth = np.random.default_rng(0).integers(0, 2, 60)
    said = np.where(votes.annotator == 2, 1 - truth[votes.unit], truth[votes.unit])
    batch = batch_of(votes._replace(label=said), n_features=2)
    module = Difficulty(hidden=(4,)).build(Sizes(3, 2, 2, 2, 60)).double()
    targets = torch.eye(2, dtype=torch.float64)[torch.from_numpy(truth)]
    exact_gradient_step(module, batch, 2)("em", targets)
    ability = module.ability.weight.detach()[:, 0]
    assert ability[2] < 0 < min(ability[:2])


def test_features_are_needed() -> None:
    with pytest.raises(ParameterError, match="channel Difficulty depends on the task's features"):
        Difficulty().build(Sizes(3, 3, 3))
    with pytest.raises(ParameterError, match="spread=0 must be above 0"):
        Difficulty(spread=0)


def test_a_batch_of_one_trains() -> None:
    module = Difficulty(hidden=(4,)).build(Sizes(3, 3, 3, 2))
    batch = batch_of(tiny_votes(n=1), n_features=2)
    assert torch.isfinite(module.float()(batch._replace(features=batch.features.float()))).all()
