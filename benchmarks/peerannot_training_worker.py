"""Runs in peerannot's environment: its deep models in a plain loop, JSON in, one JSON line out.

It imports nothing of manyhands. Its models take all annotators of a task at once, [tasks, annotators].
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
import types
import warnings
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.measure import peak_mb
from benchmarks.training_loop import body, timed

__all__ = ["train"]

GAP = -1  # no label, which its loss leaves out
APART = 1e-5  # the weight of its term that keeps CoNAL's matrices apart


class _Blank(types.ModuleType):
    """A module that has any name asked of it: peerannot imports torchvision, and trains these models without it."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class _BlankVision(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return (
            importlib.machinery.ModuleSpec(name, self, is_package=True)
            if "torchvision" in name[:11]
            else None
        )

    def create_module(self, spec: Any) -> types.ModuleType:
        return _Blank(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


class Wide:
    """One step of its training: every annotator's chances for every task of the batch, then the gaps are left out."""

    def __init__(self, system: str, crowd: Any, annotators: int, rate: float):
        self.x = torch.from_numpy(crowd["features"])
        tasks, classes = len(self.x), int(crowd["classes"])
        self.labels = torch.full((tasks, annotators), GAP)
        self.labels[torch.arange(tasks)[:, None], torch.from_numpy(crowd["annotator"])] = torch.from_numpy(
            crowd["label"]
        )
        self.network = nn.Sequential(*body(self.x.shape[1]), nn.Linear(128, classes))
        self.gated, self.everybody = system == "conal", torch.eye(annotators)
        self.model = self._model(classes, annotators)
        self.loss = nn.CrossEntropyLoss(ignore_index=GAP)
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=rate)

    def __call__(self, units: Tensor) -> None:
        self.optimiser.zero_grad()
        x = self.x[units]
        said = self.model(x, self.everybody)[0] if self.gated else self.model(x)
        loss = self.loss(said.reshape(-1, said.shape[-1]), self.labels[units].reshape(-1))
        if self.gated:
            noise = self.model.noise_adaptation_layer
            for apart in (
                noise.local_confusion_matrices - noise.global_confusion_matrix
            ):  # as it does: one by one
                loss = loss - APART * torch.linalg.norm(apart)
        loss.backward()
        self.optimiser.step()

    def accuracy(self, truth: np.ndarray) -> float:
        """Of the network on the training tasks."""
        with torch.no_grad():
            return float((self.network(self.x).argmax(1).numpy() == truth).mean())

    def _model(self, classes: int, annotators: int) -> Any:
        if self.gated:
            from peerannot.models.agg_deep.CoNAL import CoNAL_net

            return CoNAL_net(
                self.x.shape[1], classes, annotators, self.network, annotator_dim=annotators, embedding_dim=20
            )
        from peerannot.models.agg_deep.Crowdlayer import Crowdlayer_net

        return Crowdlayer_net(classes, annotators, self.network)


def train(
    crowd: str, system: str, annotators: int, batch: int, epochs: int, rate: float, batches: int | None = None
) -> dict[str, Any]:
    """Epochs of one of its models, or so many batches of each."""
    _without_vision()
    from peerannot.models.agg_deep import CoNAL, Crowdlayer  # noqa: F401  # imports are not in what training takes

    torch.set_num_threads(1)
    torch.manual_seed(0)
    with np.load(crowd) as file:
        held = dict(file)
    loaded = peak_mb()
    step = Wide(system, held, annotators, rate)
    answer = timed(step, len(held["truth"]), batch, epochs, batches)
    return {"loaded_mb": loaded, **answer, "accuracy": step.accuracy(held["truth"])}


def _without_vision() -> None:
    """Blanks for torchvision where it does not load."""
    try:
        import torchvision  # noqa: F401
    except Exception:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        sys.meta_path.append(_BlankVision())


def main() -> None:
    warnings.filterwarnings("ignore")
    print(json.dumps(train(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
