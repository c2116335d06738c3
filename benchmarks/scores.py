"""How good a posterior is against the truth, ties shared fairly."""

from __future__ import annotations

import numpy as np

from manyhands.metrics import expected_calibration_error, log_loss

__all__ = ["CLIP", "Scores", "score"]

CLIP = 1e-6  # nobody is charged more than 13.8 nats for one task: certainty would drown the rest

Scores = dict[str, float]


def score(chances: np.ndarray, truth: np.ndarray) -> Scores:
    """Accuracy, log-loss and calibration error over the units whose truth is known (not -1).

    Classes that tie share the guess: the accuracy is what a fair draw among them expects. A truth
    beyond the classes is one that nobody voted for: always wrong.

    >>> score(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([0, 1]))["accuracy"]
    0.75
    """
    told = truth >= 0
    chances, truth = chances[told].astype(np.float64), truth[told]
    foreign = truth >= chances.shape[1]
    best = chances >= chances.max(axis=1, keepdims=True) * (1 - 1e-6)
    hit = best[np.arange(len(truth)), np.where(foreign, 0, truth)] & ~foreign
    wide = np.pad(chances, ((0, 0), (0, 1)))
    codes = np.where(foreign, chances.shape[1], truth)
    return {
        "accuracy": float((hit / best.sum(axis=1)).mean()),
        "log-loss": log_loss(wide, codes, clip=CLIP),
        "calibration": expected_calibration_error(wide, codes),
    }
