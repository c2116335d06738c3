"""Several starts of one system, the likeliest kept: no truth is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["likeliest", "log_likelihood"]


def likeliest(make: Callable[[int], Any], x: Any, labels: Any, seed: int, restarts: int) -> Any:
    """Of models made with seeds of their own and fitted, the one whose labels are likeliest."""
    models = [make(seed * restarts + turn).fit(x, labels) for turn in range(restarts)]
    return max(models, key=log_likelihood)


@torch.no_grad()
def log_likelihood(model: Any) -> float:
    """Of the labels that a model was fitted to, as its own objective counts it."""
    learner = model.learner_
    learner.network.eval()
    name = "marginal" if "marginal" in model.objective else "joint"
    objective, total = learner.truth.objective(name), 0.0
    for rows, x in learner.features.all():
        batch = learner.data.batch(torch.arange(rows.start, rows.stop), x)
        total -= float(objective.loss(learner.log_truth(x), learner.channel, batch, None))
    return total
