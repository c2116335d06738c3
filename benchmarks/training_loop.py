"""The plain loop around a peer's module: epochs of steps, timed. Runs in the peers' environments."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.measure import peak_mb

__all__ = ["body", "timed"]

Step = Callable[[Tensor], None]


def body(features: int, hidden: int = 128) -> nn.Sequential:
    """The network up to its last layer."""
    return nn.Sequential(nn.Linear(features, hidden), nn.ReLU())


def timed(step: Step, tasks: int, batch: int, epochs: int, batches: int | None = None) -> dict[str, Any]:
    """CPU seconds of the quickest epoch; with `batches`, of so many alone, and reckoned up."""
    order = torch.Generator().manual_seed(0)
    step(torch.randperm(tasks, generator=order)[:batch])  # what is built at the first step is not in it
    seconds = []
    for _ in range(epochs):
        start = time.process_time()
        parts = torch.randperm(tasks, generator=order).split(batch)
        for units in parts[:batches]:
            step(units)
        seconds.append((time.process_time() - start) * len(parts) / len(parts[:batches]))
    return {"epoch_cpu": min(seconds), "epochs": epochs, "peak_mb": peak_mb()}
