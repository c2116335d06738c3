"""How many features to leave out at random in training: chosen by answers that were held out."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..annotations import Annotations
from ..networks import Several
from ..training.features import Features
from .seeded import seeded
from .soft_label_fit import is_soft_network

if TYPE_CHECKING:
    from .crowd_estimator import CrowdEstimator

__all__ = ["HELD_OUT", "LEVELS", "chosen_share", "rule"]

LEVELS = (0.1, 0.25, 0.5, 0.7, 0.85)
HELD_OUT = 0.2  # of the answers
FEWEST = 50  # answers held out; with fewer, which level predicts them best is chance
# What a trial has of its own: nobody watches it, and it is not kept; early stopping is the training's.
TRIAL: dict[str, Any] = {
    "validation_fraction": HELD_OUT, "callbacks": (), "checkpoint": None, "resume": False,
}  # fmt: skip


def rule(sample: torch.Tensor, n_tasks: int) -> float:
    """Share sqrt(D / (D + N)) of D features of N tasks; none of pictures, which are no list of features.

    >>> rule(torch.zeros(1, 9), 16)
    0.6
    """
    width = int(np.prod(sample.shape[1:]))
    return 0.0 if sample.ndim > 2 else float(np.sqrt(width / (width + max(n_tasks, 1))))


def chosen_share(
    model: CrowdEstimator, features: Features, labels: Annotations, weight: Any
) -> tuple[float, np.ndarray]:
    """The level that predicts held-out answers best from x alone, and the mean log-likelihood at each of LEVELS.

    Without trials the rule, and no likelihoods: for pictures, networks that nothing is left out for, and where
    held-out answers would be few.
    """
    sample = features.sample(1)
    extent = model._extent(features, labels)
    told = HELD_OUT * extent.n_labels >= FEWEST
    if not told or sample.ndim > 2 or is_soft_network(model.network):
        return rule(sample, extent.n_tasks), np.zeros(0)
    scores = np.zeros(len(LEVELS))
    for place, level in enumerate(LEVELS):
        for callback in model.callbacks:
            callback.on_trial(place, len(LEVELS))
        scores[place] = _trial(model, level, features, labels, weight)
    return LEVELS[int(scores.argmax())], scores


def _trial(
    model: CrowdEstimator, level: float, features: Features, labels: Annotations, weight: Any
) -> float:
    network = model.network.network if isinstance(model.network, Several) else model.network
    trial = copy.copy(model).set_params(network=network, input_dropout=level, **TRIAL)
    with seeded(model.seed_, model.device):
        return trial._learner(features, labels, weight).fit().held_out_score()
