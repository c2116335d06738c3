"""How likely held-out numbers are, the truth being predicted from features alone."""

from __future__ import annotations

import numpy as np
import torch

from ..annotations import Annotations
from ..channels.number_module import NumberModule
from ..training.features import Features
from ..training.learner import Learner
from ..training.number_truth import NumberTruth

__all__ = ["held_out_density"]


@torch.no_grad()
def held_out_density(learner: Learner, fitted: Annotations, features: Features, labels: Annotations) -> float:
    """The mean log-density of an answer in its own units; annotators are matched by name.

    Each answer is normal about what its annotator would make of the network's word.
    """
    truth, channel = learner.truth, learner.channel
    assert isinstance(truth, NumberTruth)
    assert isinstance(channel, NumberModule)
    codes = fitted.annotators.codes(labels.annotators)
    votes = truth.votes(labels, "ignore")
    who = codes[votes.annotator]
    parts = channel.everyone()
    ordinary = (1.0, 0.0, float(parts.precision.mean()))
    a, b, precision = (
        np.append(values.double().cpu().numpy(), usual)[who]
        for values, usual in zip(parts, ordinary, strict=True)
    )
    said = learner.predict_log(features).double().cpu().numpy()[votes.unit]
    variance = a**2 * said[:, 1] + 1 / precision
    squares = (votes.label - a * said[:, 0] - b) ** 2 / variance
    log_density = -0.5 * (squares + np.log(2 * np.pi * variance)) - np.log(truth.scale)
    return float(log_density.mean()) if len(log_density) else float("nan")
