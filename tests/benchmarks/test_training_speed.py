"""The benchmark of training: its crowd, its clock and its verdict; and one run of ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.training_loop import timed
from benchmarks.training_speed import CROWDKIT, OURS, Run, Setup, best, measure, verdict, write_crowd
from sklearn.linear_model import LogisticRegression

SMALL = Setup(tasks=400, features=16, classes=3, redundancy=3, batch=64, epochs=4)


def test_crowd_is_of_the_asked_shape_and_can_be_learnt(tmp_path: Path) -> None:
    with np.load(write_crowd(SMALL, 20, tmp_path)) as held:
        crowd = dict(held)
    assert crowd["annotator"].shape == crowd["label"].shape == (400, 3)
    assert all(len(set(row)) == 3 for row in crowd["annotator"].tolist())
    assert crowd["annotator"].min() >= 0
    assert crowd["annotator"].max() < 20
    right = (crowd["label"] == crowd["truth"][:, None]).mean()
    assert 0.45 < right < 0.95  # rows belong to their tasks, and people err
    fitted = LogisticRegression(max_iter=500).fit(crowd["features"][:300], crowd["truth"][:300])
    assert fitted.score(crowd["features"][300:], crowd["truth"][300:]) > 0.6


@pytest.mark.parametrize(("batches", "steps"), [(None, 1 + 2 * 4), (2, 1 + 2 * 2)])
def test_loop_takes_every_task_once_an_epoch(batches: int | None, steps: int) -> None:
    seen: list[torch.Tensor] = []
    answer = timed(seen.append, tasks=100, batch=30, epochs=2, batches=batches)
    assert len(seen) == steps
    assert answer["epoch_cpu"] > 0
    if batches is None:
        assert sorted(torch.cat(seen[1:5]).tolist()) == list(range(100))


def test_best_is_the_quickest_time_and_the_largest_memory() -> None:
    turns = [
        {"epoch_cpu": 2.0, "loaded_mb": 10.0, "peak_mb": 15.0},
        {"error": "killed"},
        {"epoch_cpu": 1.0, "loaded_mb": 10.0, "peak_mb": 12.0},
    ]
    assert (best(turns)["epoch_cpu"], best(turns)["extra_mb"]) == (1.0, 5.0)
    assert best(turns[1:2]) == {"error": "killed"}


def test_verdict_says_met_and_not_met_and_skips_what_is_missing() -> None:
    times = {(OURS, "conal", 50): 1.0, (CROWDKIT, "conal", 50): 4.0, (OURS, "crowd-layer", 50): 2.0,
             (CROWDKIT, "crowd-layer", 50): 1.0}  # fmt: skip
    lines = verdict({Run(*key): {"epoch_cpu": time} for key, time in times.items()}).splitlines()
    assert len(lines) == 2
    assert "2.00 (asked for: at most 1.00), **not met**" in lines[0]
    assert "0.25 (asked for: at most 0.33), met" in lines[1]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["soft", "conal"])
def test_a_run_of_ours(tmp_path: Path, system: str) -> None:
    answer = measure(Run(OURS, system, 20), SMALL, write_crowd(SMALL, 20, tmp_path))
    assert "error" not in answer, answer
    assert answer["epoch_cpu"] > 0
    assert answer["peak_mb"] >= answer["loaded_mb"]
    assert answer["accuracy"] > 0.5
