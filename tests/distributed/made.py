"""Models to be trained by one process and by several, without dropout, and the crowd that they learn from."""

from __future__ import annotations

from typing import Any

import numpy as np

import manyhands as mh
from manyhands import channels, networks, processes

CROWD = {"n_tasks": 180, "n_annotators": 9, "n_features": 4, "redundancy": (1, 5), "seed": 3}
PLAIN = {"epochs": 6, "random_state": 1, "batch_size": 24}
MLP = networks.MLP((16,), dropout=0.0)


def models() -> dict[str, Any]:
    """By name."""
    return {
        "default": mh.CrowdClassifier(networks.SkipMLP((16,), dropout=0.0), input_dropout=0.0, epochs=6),
        "speelfc": mh.SpeeLFC(MLP, **PLAIN),
        "cmm": mh.CMM(MLP, **PLAIN),
        "cmm-annotators": mh.CMM(MLP, per="annotator", **PLAIN),
        "cmm-gated": mh.CMM(MLP, "marginal", gate="features", smoothing=1.0, **PLAIN),
        "conal": mh.CoNAL(MLP, apart=1e-3, **PLAIN),
        "conal-logit": mh.CoNAL(MLP, mix="logit", n_groups=2, **PLAIN),
        "deep-em": mh.DeepEM(MLP, **PLAIN),
        "lia": mh.LIA(MLP, hidden=(8,), rounds=2, steps=20, fine_tuning=10, random_state=1),
        "crowd-layer": mh.CrowdLayer(MLP, majority_epochs=2, **PLAIN),
        "trace": mh.TraceRegularised(MLP, **PLAIN),
        "held-out": mh.CrowdClassifier(
            MLP, channels.OneCoin(), validation_fraction=0.2, patience=2, input_dropout=0.0, **PLAIN
        ),
        "ordinal": mh.CrowdClassifier(MLP, channels.Ordinal(), "em", input_dropout=0.0, **PLAIN),
    }


def crowd() -> Any:
    """Classes with features; some tasks have no answer."""
    return mh.simulate("confusion", n_classes=3, **CROWD)


def shard_of(n: int, how: str) -> np.ndarray:
    """Which of n tasks this process has: blocks of uneven length, by turns, or with none at the last process."""
    size, rank = processes.size(), processes.rank()
    if how == "uneven":
        cuts = np.round(np.linspace(0, 1, size + 1) ** 2 * n).astype(int)
        return np.arange(cuts[rank], cuts[rank + 1])
    if how == "empty" and size > 1:
        size -= 1
    return np.arange(n)[np.arange(n) % size == rank]
