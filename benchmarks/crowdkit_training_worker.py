"""Runs in the peer's environment: crowd-kit's deep layers in a plain loop, JSON in, one JSON line out.

It imports nothing of manyhands.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.measure import peak_mb
from benchmarks.training_loop import body, timed

__all__ = ["train"]


class Pairs:
    """One step as its documentation shows it: a row a pair (task, worker), cross-entropy to the label."""

    def __init__(self, system: str, crowd: Any, annotators: int, rate: float):
        from crowdkit.learning import CoNAL, CrowdLayer

        self.x = torch.from_numpy(crowd["features"])
        self.worker, self.label = (torch.from_numpy(crowd[name]) for name in ("annotator", "label"))
        classes = int(crowd["classes"])
        self.body, self.head = body(self.x.shape[1]), nn.Linear(128, classes)
        self.gated = system == "conal"
        self.layer = CoNAL(classes, annotators) if self.gated else CrowdLayer(classes, annotators, "mw")
        with torch.no_grad():  # its lazy layers take shape before the optimiser looks at them
            self._said(torch.arange(2))
        parts = (self.body, self.head, self.layer)
        self.optimiser = torch.optim.Adam(
            [p for part in parts for p in part.parameters() if p.requires_grad], lr=rate
        )

    def __call__(self, units: Tensor) -> None:
        self.optimiser.zero_grad()
        nn.functional.cross_entropy(self._said(units), self.label[units].reshape(-1)).backward()
        self.optimiser.step()

    def accuracy(self, truth: np.ndarray) -> float:
        """Of the network on the training tasks."""
        with torch.no_grad():
            return float((self.head(self.body(self.x)).argmax(1).numpy() == truth).mean())

    def _said(self, units: Tensor) -> Tensor:
        hidden = self.body(self.x[units])
        logits = self.head(hidden)
        workers = self.worker[units]
        pairs = torch.arange(len(units)).repeat_interleave(workers.shape[1])
        said: Tensor = (
            self.layer(hidden[pairs], logits[pairs], workers.reshape(-1))
            if self.gated
            else self.layer(logits.softmax(-1)[pairs], workers.reshape(-1))
        )
        return said


def train(crowd: str, system: str, annotators: int, batch: int, epochs: int, rate: float) -> dict[str, Any]:
    """Epochs of one of its layers."""
    from crowdkit import learning  # noqa: F401  # imports are not in what training takes

    torch.set_num_threads(1)
    torch.manual_seed(0)
    with np.load(crowd) as file:
        held = dict(file)
    loaded = peak_mb()
    step = Pairs(system, held, annotators, rate)
    return {
        "loaded_mb": loaded,
        **timed(step, len(held["truth"]), batch, epochs),
        "accuracy": step.accuracy(held["truth"]),
    }


def main() -> None:
    warnings.filterwarnings("ignore")
    print(json.dumps(train(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
