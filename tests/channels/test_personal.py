from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands.channels import Personal, Sizes
from manyhands.errors import ParameterError
from manyhands.objectives.objective import objective_named

from .tiny_batch import batch_of, check_gradients, shake, tiny_votes, truths


def module_of(n_labels: int = 3, intercept: bool = True) -> object:
    module = Personal(0.7, intercept).build(Sizes(3, n_labels, 3, n_features=2))
    module.start(tiny_votes(), torch.zeros(6, 3))
    shake(module)
    return module


@pytest.mark.parametrize("intercept", [True, False])
def test_labels_are_of_a_regression_a_step_away(intercept: bool) -> None:
    votes, module = tiny_votes(), module_of(intercept=intercept)
    batch, log_f = batch_of(votes, n_features=2), truths(6, 3)
    total = 0.0
    for i, j, label in zip(votes.unit, votes.annotator, votes.label, strict=True):
        x = np.append(batch.features[i].numpy(), 1.0)[: 2 + intercept]
        logits = log_f[i].numpy() + x @ module.steps.weight[j].detach().numpy().reshape(2 + intercept, 3)
        total -= logits[label] - np.log(np.exp(logits).sum())
    loss = objective_named("marginal").loss(log_f, module, batch, None)
    assert loss.item() == pytest.approx(total, rel=1e-9)
    norm = 0.35 * (module.steps.weight**2).sum().item()
    assert module.penalty(batch).item() == pytest.approx(norm, rel=1e-6)


def test_gradients() -> None:
    check_gradients(module_of(), batch_of(tiny_votes(), n_features=2), 3)


def test_cannot_say_has_a_step_alone() -> None:
    votes, module = tiny_votes(n_labels=4), module_of(4)
    batch, log_f = batch_of(votes, n_features=2), truths(6, 3)
    found = module.log_labels(log_f, batch).exp().detach().numpy()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    n = 2
    x = np.append(batch.features[votes.unit[n]].numpy(), 1.0)
    step = x @ module.steps.weight[votes.annotator[n]].detach().numpy().reshape(3, 4)
    logits = np.append(log_f[votes.unit[n]].numpy(), 0.0) + step
    np.testing.assert_allclose(found[n], np.exp(logits) / np.exp(logits).sum(), rtol=1e-9)


def test_what_it_needs() -> None:
    with pytest.raises(ParameterError, match="one vector a task"):
        Personal().build(Sizes(2, 2, 2))
    with pytest.raises(ParameterError, match="shrinkage=0"):
        Personal(0)
