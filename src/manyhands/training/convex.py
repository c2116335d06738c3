"""The loop for convex losses: L-BFGS on all tasks at once, until the gradient is gone."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .features import Features
from .portraits import PortraitLearner

__all__ = ["ConvexLearner"]

STEPS = 10  # of L-BFGS in an epoch
SETTLED = 1e-6  # the largest gradient, of the loss a vote
STILL = 1e-9  # the share of the loss by which an epoch must lower it


class ConvexLearner(PortraitLearner):
    r"""An epoch is a few steps of L-BFGS on the whole loss; `weight_decay` is $\eta$ of $\frac{\eta}{2} \|w\|^2$.

    Batches only bound the memory: their gradients are summed. Nothing is drawn at random.
    """

    by_itself = "L-BFGS on all tasks at once runs"

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._solver()

    def _solver(self) -> None:
        modules = (self.network, self.channel)
        self.weights = [p for m in modules for p in m.parameters() if p.requires_grad]
        self.optimisers = [
            torch.optim.LBFGS(
                self.weights, max_iter=STEPS, history_size=STEPS, tolerance_grad=SETTLED / 10,
                tolerance_change=0.0, line_search_fn="strong_wolfe",
            )
        ]  # fmt: skip

    def run_epoch(self, epoch: int) -> None:
        """Steps from where the last epoch stopped."""
        self.network.eval()
        self.channel.train()
        before = self.history[-1]["loss"] if self.history else float("inf")
        self.optimisers[0].step(self.whole_loss)  # type: ignore[arg-type]
        loss = float(self.whole_loss())
        steepest = self.steepest()
        entry = {"epoch": epoch, "phase": self.objective.name, "loss": loss, "gradient": steepest}
        if self.resumed_from is not None:
            entry["resumed_from"], self.resumed_from = self.resumed_from, None
        self.history.append(entry)
        self.stopped = steepest < SETTLED or before - loss < STILL * abs(loss)
        self._tell("on_epoch_end")
        self._tell("on_save")

    def whole_loss(self) -> Tensor:
        """The loss a vote of all tasks together, and its gradient."""
        self.optimisers[0].zero_grad(set_to_none=True)
        count = max(self.data.votes.total, 1.0)
        total = torch.zeros((), dtype=torch.float64)
        for units in torch.arange(self.data.votes.n_units, device=self.device).split(
            self.settings.batch_size
        ):
            loss, _ = self.compute_loss(units, self.objective)
            (loss / count).backward()  # type: ignore[no-untyped-call]
            total += loss.detach().double().cpu()
        decay = [
            0.5 * self.settings.weight_decay * (p**2).sum() for p in self.network.parameters() if p.ndim > 1
        ]
        if decay:
            shrunk = torch.stack(decay).sum()
            (shrunk / count).backward()  # type: ignore[no-untyped-call]
            total += shrunk.detach().double().cpu()
        return total / count

    def steepest(self) -> float:
        """The largest entry of the gradient."""
        found = [p.grad for p in self.weights if p.grad is not None]
        return max((float((g.to_dense() if g.is_sparse else g).abs().max()) for g in found), default=0.0)

    def take(self, features: Features, votes: Any, known: Tensor | None = None) -> None:
        """Other tasks have another loss: what was learnt of its curvature goes."""
        super().take(features, votes, known)
        self._solver()
