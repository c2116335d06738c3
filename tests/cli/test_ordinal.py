"""Ordered classes from a simulated folder to predictions, by the command alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from .shell import rows_of, run

CLASSES = "0,1,2,3"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ordinal") / "c"
    done = run(
        "simulate", "--out", folder, "--crowd", "thresholds", "--tasks", 300, "--annotators", 12, "--classes", 4,
        "--redundancy", 3, "--set", "n_features=3", "--seed", 1, "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder


def _distances(rows: list[dict[str, str]], crowd: Path) -> np.ndarray:
    truth = {row["task"]: int(row["label"]) for row in rows_of(crowd / "truth.csv")}
    return np.array([abs(int(row["label"]) - truth[row["task"]]) for row in rows])


@pytest.mark.slow
def test_aggregate_decides_by_cost_and_scores_the_distance(crowd: Path, tmp_path: Path) -> None:
    far = {}
    for cost in (None, "absolute"):
        out = tmp_path / f"{cost}.csv"
        more = () if cost is None else ("--cost", cost)
        done = run(
            "aggregate", crowd, "--kind", "ordinal", "--classes", CLASSES, "--method", "ordinal-dawid-skene",
            "--truth", crowd / "truth.csv", "--out", out, "--annotators", tmp_path / "a.csv", "--json", *more,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        scores = json.loads(done.stdout)["scores"]
        far[cost] = _distances(rows_of(out), crowd)
        assert scores["distance"] == pytest.approx(far[cost].mean())
        assert scores["accuracy"] == pytest.approx((far[cost] == 0).mean())
    assert far["absolute"].mean() <= far[None].mean()
    assert {"discrimination", "shift", "width"} <= set(rows_of(tmp_path / "a.csv")[0])
    assert "expected_cost" in rows_of(tmp_path / "absolute.csv")[0]


def test_train_and_predict(crowd: Path, tmp_path: Path) -> None:
    done = run(
        "train", crowd, "--features", crowd / "features.npz", "--out", tmp_path / "m", "--kind", "ordinal",
        "--classes", CLASSES, "--network", "linear", "--epochs", 10, "--truth", crowd / "truth.csv", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["scores"]["network and labels"]["distance"] < 1
    done = run(
        "predict", tmp_path / "m", "--features", crowd / "features.npz", "--out", tmp_path / "p.csv",
        "--cost", "squared", "--quiet",
    )  # fmt: skip
    assert (done.exit_code, done.output) == (0, "")
    for row in rows_of(tmp_path / "p.csv"):
        chances = np.array([float(row[name]) for name in "0123"])
        assert int(row["label"]) == pytest.approx(chances @ np.arange(4), abs=0.5 + 1e-6)


def test_a_cost_without_an_order_is_told_before_the_fit(crowd: Path) -> None:
    done = run("aggregate", crowd, "--cost", "absolute")
    assert done.exit_code != 0
    assert "--kind ordinal" in done.output
    assert run("aggregate", crowd, "--cost", "cubic").exit_code == 2
