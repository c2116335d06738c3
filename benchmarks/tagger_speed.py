"""An epoch of the paper's network on named entities, and the share of it that the crowd costs.

    python -m benchmarks.tagger_speed [--epochs 3]

The whole of `data/conll-ner`: 6056 sentences, 29608 answers, batches of 64 sentences, vectors of 300 numbers as the paper's (their
values do not matter here). The crowd part is the channel, its priors and the objective, forward and backward down to what the
network gave, timed inside the same epochs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from manyhands import CrowdTagger, channels
from manyhands.networks import Tagger
from manyhands.training.learner import Learner

from .real_crowds import NEEDED, data_folder
from .sequences import crowd
from .tables import publish

__all__ = ["main", "timed"]

SYSTEMS: dict[str, dict[str, Any]] = {
    "majority (no crowd part)": {"epochs": 1, "majority_epochs": 10_000},
    "crowd layer MW": {"channel": channels.CrowdLayer("MW"), "objective": "marginal"},
    "confusion, marginal (SpeeLFC)": {"objective": "marginal"},
    "confusion, joint": {"objective": "joint"},
    "confusion, chained joint": {"chain": True, "objective": "joint"},
    "confusion, chained EM": {"chain": True, "objective": "em"},
}
NOTES = """
Seconds of CPU of one epoch, {threads} thread(s), mean of {epochs} epochs. Asked for: under 8 s on two cores, the crowd part under 10 %.
"""


class Watched(Learner):
    """The same steps, the crowd's part timed: what comes after the network's output, and its gradient down to there."""

    crowd_seconds = 0.0

    def train_step(self, units: Tensor, phase: Any) -> tuple[float, float]:
        """The loss on an output that is a leaf, then the network's gradient from the leaf's."""
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        said = self.network(self.features.rows(units))
        tensors = list(said) if isinstance(said, tuple) else [said]
        leaves = [
            part.detach().requires_grad_(part.is_floating_point()) for part in tensors if part is not None
        ]
        begun = time.process_time()
        self._given = type(said)(*leaves) if isinstance(said, tuple) else leaves[0]
        loss, count = self.compute_loss(units, phase)
        (loss / max(count, 1.0)).backward()  # type: ignore[no-untyped-call]
        self.crowd_seconds += time.process_time() - begun
        pulls = [
            (part, leaf.grad) for part, leaf in zip(tensors, leaves, strict=False) if leaf.grad is not None
        ]
        torch.autograd.backward([part for part, _ in pulls], [pull for _, pull in pulls])
        for optimiser in self.optimisers:
            optimiser.step()
        return float(loss.detach()), count

    def log_truth(self, x: Any, network: Any = None) -> Any:
        """From the leaf, in a step."""
        given = self.network.training
        return self.truth.read(self._given, self.channel) if given else super().log_truth(x, network)


class WatchedTagger(CrowdTagger):
    """The tagger with that loop."""

    def _loop(self, network: Any) -> type[Learner]:
        return Watched


def timed(epochs: int) -> Iterator[dict[str, Any]]:
    """A row a system."""
    labels, sentences = crowd()
    words = [sentences[str(task)]["tokens"] for task in labels.tasks]
    for name, options in SYSTEMS.items():
        model = WatchedTagger(Tagger(dim=300), **({"epochs": epochs} | options), average=0)
        model.seed_ = 0
        learner: Any = model._learner(model._read(words, labels.n_tasks, reset=True), labels, None)
        begun = time.process_time()
        for epoch in range(epochs):
            learner.run_epoch(epoch)
        whole = (time.process_time() - begun) / epochs
        part = learner.crowd_seconds / epochs
        yield {"system": name, "s/epoch": whole, "crowd part, s": part, "share": part / whole}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--epochs", type=int, default=3)
    asked = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    notes = NOTES.strip().format(threads=torch.get_num_threads(), epochs=asked.epochs)
    publish("tagger-speed", "Training a tagger: what the crowd costs", list(timed(asked.epochs)), notes=notes)


if __name__ == "__main__":
    main()
