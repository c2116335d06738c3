"""How good a system is epoch by epoch, as papers look at it that keep the epoch of the best validation truth."""

from __future__ import annotations

import numpy as np

from manyhands.training.callbacks import Callback
from manyhands.training.features import features_of
from manyhands.training.learner import Learner

__all__ = ["ByEpoch"]


class ByEpoch(Callback):
    """The share of right answers on validation and on test tasks after every epoch.

    Nothing of the fit depends on it: the model is that of the last epoch, and `best` says what the
    epoch that validation prefers (the first of the best) would have had on the test.
    """

    def __init__(self, valid: tuple[np.ndarray, np.ndarray], test: tuple[np.ndarray, np.ndarray]):
        self.parts = [(features_of(x), truth) for x, truth in (valid, test)]
        self.seen: list[list[float]] = []

    def on_epoch_end(self, learner: Learner) -> None:
        """Look."""
        self.seen.append(
            [float(np.mean(learner.predict_log(x).argmax(dim=1).numpy() == truth)) for x, truth in self.parts]
        )

    @property
    def best(self) -> float:
        """On the test, of the epoch that validation prefers."""
        return max(self.seen, key=lambda pair: pair[0])[1]
