"""The result of a network's training: the same as an aggregator's, with the network as the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..annotations import Annotations
from ..results import NoEvidence, Result, TableEvidence
from ..results.posterior import ClassPosterior

if TYPE_CHECKING:
    from ..training.learner import Learner

__all__ = ["network_result", "plain_settings", "shared_settings"]

RUNNING = ("callbacks", "checkpoint", "checkpoint_every", "resume")  # how it ran, not what was learnt


def network_result(model: Any, learner: Learner, labels: Annotations) -> Result:
    """Posterior of the training tasks, evidence of a vote, history."""
    posterior = ClassPosterior(learner.posterior().cpu().numpy())
    channel: Any = learner.channel
    confusions = channel.confusions().cpu().double().numpy()
    evidence: TableEvidence | NoEvidence
    if learner.channel.is_probability:
        rows = np.log(np.maximum(confusions, 1e-10)).transpose(0, 2, 1).astype(np.float32)
        evidence = TableEvidence(np.ascontiguousarray(rows), learner.predict_log().cpu().numpy())
    else:
        evidence = NoEvidence("soft")
    return Result(
        model.name, labels, posterior, evidence, plain_settings(model), learner.history, converged=True
    )


def plain_settings(model: Any) -> dict[str, Any]:
    """The parameters that can be written down."""
    plain = (str, int, float, bool, type(None))
    return {
        k: v if isinstance(v, plain) else repr(v)
        for k, v in model.get_params(deep=False).items()
        if k not in RUNNING
    }


def shared_settings(model: Any) -> dict[str, Any]:
    """Those that processes which train together must have alike; where an object lies, and on which device, may differ."""
    found = plain_settings(model).items()
    return {k: v for k, v in found if k != "device" and " at 0x" not in str(v)}
