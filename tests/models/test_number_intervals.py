"""Intervals of truths from numbers alone hold the truth as often as they say, on simulated crowds."""

from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh


@pytest.mark.parametrize(("name", "most"), [("mean", 0.975), ("median", 0.995), ("precision-weighted", 0.98)])
def test_intervals_cover(name: str, most: float) -> None:
    held = []
    for seed in range(4):
        crowd = mh.simulate("numbers", n_tasks=400, n_annotators=40, redundancy=6, bias=0.3, seed=seed)
        frame = mh.method(name).make().fit(crowd.labels).result_.consensus()
        low, high = (frame[end].to_numpy() for end in ("low", "high"))
        held.append(np.mean((low < crowd.truth) & (crowd.truth < high)))
    assert 0.925 < np.mean(held) < most


def test_other_levels() -> None:
    crowd = mh.simulate("numbers", n_tasks=400, n_annotators=40, redundancy=6, bias=0.3, seed=0)
    result = mh.Mean().fit(crowd.labels).result_
    frame = result.consensus(level=0.5)
    held = (frame["low"].to_numpy() < crowd.truth) & (crowd.truth < frame["high"].to_numpy())
    assert 0.42 < held.mean() < 0.58
    told = mh.Mean().fit(crowd.labels.where(crowd.labels.task > 0)).result_.consensus()
    assert told["low"][0] is None
