"""Numbers by the command: aggregate with intervals, train, predict with deviations, scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from manyhands.catalog import REGRESSORS

from .crowd_with_features import write
from .shell import rows_of, run


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Path:
    """90 tasks, the last 30 a test; truth is the first feature and noise."""
    folder = tmp_path_factory.mktemp("numbers")
    made = mh.simulate("numbers", n_tasks=90, n_annotators=5, redundancy=3, seed=0)
    names = [f"t{i}" for i in range(90)]
    said = zip(
        made.labels.task.tolist(), made.labels.annotator.tolist(), made.labels.answers.values, strict=True
    )
    write(
        folder / "annotations.csv",
        ("task", "annotator", "label"),
        [(names[i], f"j{j}", float(v)) for i, j, v in said if i < 60],
    )
    write(folder / "truth.csv", ("task", "label"), list(zip(names, made.truth.tolist(), strict=True)))
    write(
        folder / "tasks.csv",
        ("task", "split"),
        [(t, "train" if i < 60 else "test") for i, t in enumerate(names)],
    )
    noise = np.random.default_rng(0).normal(size=(90, 2))
    np.savez(folder / "features.npz", X=(made.truth[:, None] + 0.3 * noise).astype(np.float32))
    return folder


def train(crowd: Path, out: Path, *more: object):
    return run("train", crowd, "--kind", "number", "-f", crowd / "features.npz", "--out", out, "--train-split", "train",
               "--truth", crowd / "truth.csv", *more)  # fmt: skip


@pytest.mark.slow
def test_a_network_learns_numbers_and_says_how_sure_it_is(crowd, tmp_path):
    done = train(
        crowd, tmp_path / "m", "--network", "linear", "--epochs", 30, "--set", "learning_rate=0.02", "--json"
    )
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert (data["method"], data["classes"]) == ("crowd-regressor", None)
    assert (
        run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--out", tmp_path / "p.csv").exit_code
        == 0
    )
    rows = rows_of(tmp_path / "p.csv")
    assert list(rows[0]) == ["task", "label", "sd", "low", "high"]
    said, sd, low, high = (
        np.array([float(row[key]) for row in rows]) for key in ("label", "sd", "low", "high")
    )
    np.testing.assert_allclose((high - said, said - low), (1.959964 * sd, 1.959964 * sd), rtol=1e-5)
    truth = np.array([float(row["label"]) for row in rows_of(crowd / "truth.csv")])
    error = (said - truth)[60:]
    assert data["scores"]["test"] == pytest.approx(
        {"tasks": 30, "mae": abs(error).mean(), "rmse": (error**2).mean() ** 0.5,
         "r2": 1 - (error**2).sum() / ((truth[60:] - truth[60:].mean()) ** 2).sum()}
    )  # fmt: skip
    assert data["scores"]["test"]["r2"] > 0.5
    assert data["scores"]["network and labels"]["tasks"] == 60


def test_the_summary_for_people(crowd, tmp_path):
    shown = train(crowd, tmp_path / "m", "--epochs", 1, "--set", "calibration_fraction=0")
    assert shown.exit_code == 0, shown.output
    assert "truths lie about" in shown.output
    assert "R squared" in shown.output


@pytest.mark.parametrize("method", sorted(REGRESSORS))
@pytest.mark.slow
def test_every_method_for_numbers_by_one_command(crowd, tmp_path, method):
    done = train(
        crowd, tmp_path / "m", "-m", method, "--epochs", 1, "--set", "calibration_fraction=0", "--json"
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["scores"]["test"]["tasks"] == 30


def test_a_method_for_classes_says_what_it_takes(crowd, tmp_path):
    told = train(crowd, tmp_path / "m", "-m", "conal", "--epochs", 1)
    assert told.exit_code == 1
    assert "'number'" in told.stderr
    train(crowd, tmp_path / "m", "--epochs", 1)
    told = run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--cost", "absolute")
    assert told.exit_code != 0


def test_a_consensus_has_intervals(crowd, tmp_path):
    done = run("aggregate", crowd, "--kind", "number", "--out", tmp_path / "c.csv", "--annotators", tmp_path / "a.csv",
               "--quiet")  # fmt: skip
    assert done.exit_code == 0, done.output
    rows = rows_of(tmp_path / "c.csv")
    assert list(rows[0]) == ["task", "label", "sd", "low", "high", "n"]
    truth = {row["task"]: float(row["label"]) for row in rows_of(crowd / "truth.csv")}
    held = [float(row["low"]) < truth[row["task"]] < float(row["high"]) for row in rows]
    assert np.mean(held) > 0.8
    wanted = {
        "bias",
        "low",
        "high",
        "scale",
        "scale_low",
        "scale_high",
        "precision",
        "precision_low",
        "precision_high",
    }
    assert wanted <= set(rows_of(tmp_path / "a.csv")[0])
