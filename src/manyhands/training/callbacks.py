"""What happens around the loop: logging, stopping, averaging, saving. Empty hooks with names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .learner import Learner

__all__ = ["AverageWeights", "Callback", "EarlyStopping", "OnEpoch", "Schedule"]


class Callback:
    """Override what you need."""

    def on_resume(self, learner: Learner) -> None:
        """Before everything: a checkpoint is put back here."""

    def on_trial(self, place: int, total: int) -> None:
        """Before each training that only chooses (how much input noise), which tells nothing else; from 0."""

    def on_train_begin(self, learner: Learner) -> None:
        """Before the first epoch, or the first after a checkpoint."""

    def on_epoch_end(self, learner: Learner) -> None:
        """After every epoch; `learner.history[-1]` is its entry."""

    def on_save(self, learner: Learner) -> None:
        """After every epoch, when all callbacks have done with it: a checkpoint is written here."""

    def on_train_end(self, learner: Learner) -> None:
        """After the last epoch."""

    def state(self) -> dict[str, Any]:
        """What a checkpoint must keep: tensors and plain data."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take it back."""


class OnEpoch(Callback):
    """Call a function with every epoch's history entry."""

    def __init__(self, function: Callable[[dict[str, Any]], Any]):
        self.function = function

    def on_epoch_end(self, learner: Learner) -> None:
        """Hand it over."""
        self.function(learner.history[-1])


class Schedule(Callback):
    """Learning rates that fall along a half cosine to nothing."""

    def __init__(self) -> None:
        self.first: list[list[float]] = []

    def on_train_begin(self, learner: Learner) -> None:
        """Note where they start."""
        self.first = [
            [g.setdefault("initial_lr", g["lr"]) for g in o.param_groups] for o in learner.optimisers
        ]

    def on_epoch_end(self, learner: Learner) -> None:
        """Lower them."""
        done = len(learner.history) / max(learner.settings.total, 1)
        factor = 0.5 * (1 + float(torch.cos(torch.tensor(done * torch.pi))))
        for optimiser, rates in zip(learner.optimisers, self.first, strict=True):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * factor

    def on_train_end(self, learner: Learner) -> None:
        """Back to where they started, for `partial_fit`."""
        for optimiser, rates in zip(learner.optimisers, self.first, strict=True):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate


class AverageWeights(Callback):
    """Keep the mean of the weights over the last `epochs` epochs."""

    def __init__(self, epochs: int):
        self.epochs, self.count, self.sums = epochs, 0, {}  # type: ignore[var-annotated]

    def on_epoch_end(self, learner: Learner) -> None:
        """Add them up."""
        if len(learner.history) <= learner.settings.total - self.epochs:
            return
        self.count += 1
        for name, value in _weights(learner):
            self.sums[name] = self.sums[name] + value.double() if name in self.sums else value.double()

    def on_train_end(self, learner: Learner) -> None:
        """Put the mean in their place."""
        if not self.count:
            return
        for name, value in _weights(learner):
            value.copy_(self.sums[name] / self.count)

    def state(self) -> dict[str, Any]:
        """Sums so far."""
        return {"count": self.count, "sums": dict(self.sums)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on adding."""
        self.count, self.sums = state["count"], dict(state["sums"])


class EarlyStopping(Callback):
    """Stop when the held-out votes have not become likelier for `patience` epochs; keep the best."""

    def __init__(self, patience: int):
        self.patience, self.best, self.waited, self.kept = patience, -float("inf"), 0, {}  # type: ignore[var-annotated]

    def on_epoch_end(self, learner: Learner) -> None:
        """Compare."""
        score = learner.held_out_score()
        learner.history[-1]["held_out_log_likelihood"] = score
        if score > self.best:
            self.best, self.waited = score, 0
            self.kept = {name: value.clone() for name, value in _weights(learner)}
        else:
            self.waited += 1
            learner.stopped = self.waited >= self.patience

    def on_train_end(self, learner: Learner) -> None:
        """Back to the best."""
        for name, value in _weights(learner):
            if name in self.kept:
                value.copy_(self.kept[name])

    def state(self) -> dict[str, Any]:
        """The best so far."""
        return {"best": self.best, "waited": self.waited, "kept": dict(self.kept)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on comparing."""
        self.best, self.waited, self.kept = state["best"], state["waited"], dict(state["kept"])


def _weights(learner: Learner) -> list[tuple[str, torch.Tensor]]:
    """Floating-point weights and buffers by name; writing to them writes to the modules."""
    parts = {"network": learner.network, "channel": learner.channel}
    named = [
        (f"{part}.{name}", value)
        for part, module in parts.items()
        for name, value in module.state_dict().items()
    ]
    return [(name, value) for name, value in named if value.is_floating_point()]
