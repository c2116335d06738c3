"""Training that stops when little changes, as CMM's code has it."""

from __future__ import annotations

from manyhands.training.callbacks import Callback
from manyhands.training.learner import Learner

__all__ = ["Settled"]


class Settled(Callback):
    """Stop after the round that changes the likelihood of the labels and the matrices by less than a share of them."""

    def __init__(self, tolerance: float = 3e-2):
        self.tolerance, self.before = tolerance, None

    def on_epoch_end(self, learner: Learner) -> None:
        """Compare with the round before."""
        now = (learner.score(learner.data), learner.channel.confusions())
        if self.before is not None:
            score, matrices = self.before
            moved = float((now[1] - matrices).norm() / matrices.norm())
            learner.stopped = max(abs(now[0] / score - 1), moved) < self.tolerance
        self.before = now
