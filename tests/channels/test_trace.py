from __future__ import annotations

import numpy as np
import pytest
import torch

from manyhands.channels import Confusion, Sizes, Trace
from manyhands.objectives.objective import objective_named

from .tiny_batch import batch_of, check_gradients, check_joint, shake, tiny_votes, truths


def module_of(trace: float) -> object:
    votes = tiny_votes()
    module = Trace(trace).build(Sizes(3, 3, 3, n_units=6))
    module.start(votes, torch.zeros(6, 3))
    shake(module)
    return module


def test_votes_are_as_by_confusion_matrices() -> None:
    module = module_of(0.3)
    matrices = module.confusions().numpy()
    check_joint(module, batch_of(tiny_votes()), lambda label, z, j, i: matrices[j, z, label], 3)
    plain = Confusion().build(Sizes(3, 3, 3)).double()
    plain.load_state_dict({"logits.weight": module.logits.weight.detach()}, strict=False)
    batch, log_f = batch_of(tiny_votes()), truths(6, 3)
    both = [objective_named("marginal").loss(log_f, m, batch, None).item() for m in (module, plain)]
    assert both[0] == pytest.approx(both[1], rel=1e-12)


@pytest.mark.parametrize("trace", [0.3, -0.3])
def test_gradients(trace: float) -> None:
    check_gradients(module_of(trace), batch_of(tiny_votes()), 3)


def test_over_all_tasks_the_price_is_lambda_n_times_the_traces() -> None:
    """Five tasks have votes; batches of two tasks sum to the whole."""
    module, votes = module_of(0.3), tiny_votes()
    whole = sum(np.trace(t) for t in module.confusions().numpy())
    assert module.penalty(batch_of(votes)).item() == pytest.approx(0.3 * 5 * whole, rel=1e-9)
    parts = []
    for units in ([0, 1], [2, 3], [4, 5]):
        there = np.isin(votes.unit, units)
        part = votes._replace(
            unit=votes.unit[there], annotator=votes.annotator[there], label=votes.label[there]
        )
        parts.append(module.penalty(batch_of(part)).item())
    assert sum(parts) == pytest.approx(0.3 * 5 * whole, rel=1e-9)


def test_no_price_no_penalty_and_no_closed_form() -> None:
    assert module_of(0.0).penalty(batch_of(tiny_votes())) is None
    assert not module_of(0.3).update(torch.ones(3, 3, 3))
