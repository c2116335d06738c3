"""The result of a network's training on numbers: the same as an aggregator's, with the network as the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import Annotations
from ..channels.number_module import NumberModule
from ..results import NumberEvidence, Result
from ..results.posterior import NumberPosterior
from ..training.number_truth import NumberTruth
from .network_result import plain_settings

if TYPE_CHECKING:
    from ..training.learner import Learner

__all__ = ["number_result"]


def number_result(model: Any, learner: Learner, labels: Annotations) -> Result:
    """Posterior of the training tasks, scale, bias and precision of annotators, history."""
    truth, channel = learner.truth, learner.channel
    assert isinstance(truth, NumberTruth)
    assert isinstance(channel, NumberModule)
    posterior = NumberPosterior(*truth.restored(learner.posterior(), channel))
    gain, bias, precision = (v.double().cpu().numpy() for v in channel.everyone())
    said = learner.predict_log().double().cpu().numpy()
    prior = np.stack(
        [said[:, 0] * truth.scale + truth.centre, np.log(said[:, 1]) + 2 * np.log(truth.scale)], 1
    )
    # l' = a z' + b in units of the answers: l = a z + scale b + centre (1 - a).
    evidence = NumberEvidence(
        truth.scale * bias + truth.centre * (1 - gain),
        np.log(precision) - 2 * np.log(truth.scale),
        prior,
        gain,
    )
    return Result(
        model.name, labels, posterior, evidence, plain_settings(model), learner.history, converged=True
    )
