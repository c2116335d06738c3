"""SpeeLFC, Figures 5 and 6: matrices as learnt against the real ones of the six busiest annotators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from manyhands.metrics import js_divergence

from .crowds import Featured, real_matrices
from .figures import keep_matrices

__all__ = ["Distances", "distances"]

Distances = Callable[..., Mapping[str, float]]


def distances(
    channel: Any, data: Featured, own: slice = slice(None), *, kept: str = "", name: str = "SpeeLFC"
) -> dict[str, float]:
    """Divergence and mean absolute difference over the rows that the six met; of a crowd layer its softmax.

    own: the channel's annotators that are the crowd's. kept: the figure that the numbers are for.
    """
    busiest, real = real_matrices(data)
    learnt = channel.confusions().numpy()[own][busiest]
    found = {
        "JS to real": js_divergence(np.nan_to_num(real), learnt),
        "error of T": float(np.nanmean(abs(real - learnt))),
    }
    if hasattr(channel, "weights"):  # raw, as the paper draws it
        learnt = channel.weights().numpy()[own][busiest]
        found["with negatives"] = float((learnt < 0).any(axis=(1, 2)).sum())
    if kept:
        keep_matrices(kept, data, busiest, **{name: learnt, "real": real})
    return found
