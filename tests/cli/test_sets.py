"""Sets of labels by the command, from files to predictions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh

from .shell import rows_of, run

QUICK = ("--method", "lia-ml", *[x for s in ("rounds=1", "steps=10", "fine_tuning=2") for x in ("--set", s)])


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sets") / "c"
    done = run("simulate", "--out", out, "--tasks", 60, "--annotators", 5, "--classes", 3, "--redundancy", 3,
               "--crowd", "sets", "--set", "n_features=4")  # fmt: skip
    assert done.exit_code == 0, done.output
    return out


def test_aggregate_scores_and_writes_sets(crowd: Path, tmp_path: Path) -> None:
    done = run(
        "aggregate",
        crowd,
        "--kind",
        "set",
        "--truth",
        crowd / "truth.csv",
        "--out",
        tmp_path / "c.csv",
        "--json",
    )
    assert done.exit_code == 0, done.output
    scores = json.loads(done.output)["scores"]
    labels = mh.read(crowd / "annotations.csv", kind="set")
    result = mh.method("dawid-skene-map").make(random_state=0).fit(labels).result_
    truth = {
        row["task"]: set(row["label"].strip("|").split("|")) - {""} for row in rows_of(crowd / "truth.csv")
    }
    said = dict(zip(labels.tasks, result.consensus()["label"].to_list(), strict=True))
    exact = np.mean([set(said[t]) == truth[t] for t in labels.tasks])
    assert scores["exact"] == pytest.approx(exact)
    hits = sum(len(set(said[t]) & truth[t]) for t in labels.tasks)
    assert scores["f1_micro"] == pytest.approx(
        2 * hits / sum(len(said[t]) + len(truth[t]) for t in labels.tasks)
    )
    written = {row["task"]: row["label"] for row in rows_of(tmp_path / "c.csv")}
    assert written == {t: "|".join(s) or "|" for t, s in said.items()}


def test_train_and_predict(crowd: Path, tmp_path: Path) -> None:
    done = run("train", crowd, "--kind", "set", "--features", crowd / "features.npz", "--out", tmp_path / "m", *QUICK,
               "--truth", crowd / "truth.csv", "--json", "--quiet")  # fmt: skip
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    assert (data["features"], data["classes"]) == ([4], ["0", "1", "2"])
    assert set(data["scores"]["labelled"]) == {
        "tasks",
        "accuracy",
        "log_loss",
        "f1_macro",
        "f1_micro",
        "exact",
    }
    done = run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--out", tmp_path / "p.csv")
    assert done.exit_code == 0, done.output
    model, X = mh.load(tmp_path / "m"), np.load(crowd / "features.npz")["X"]
    rows, chances = rows_of(tmp_path / "p.csv"), model.predict_proba(X)
    assert [row["label"] for row in rows] == ["|".join(s) or "|" for s in model.predict(X)]
    np.testing.assert_allclose([[float(row[k]) for k in "012"] for row in rows], chances, rtol=1e-6)
    sure = np.maximum(chances, 1 - chances).mean(axis=1)
    np.testing.assert_allclose([float(row["confidence"]) for row in rows], sure, rtol=1e-6)


def test_a_column_a_label_and_back(crowd: Path, tmp_path: Path) -> None:
    done = run(
        "convert",
        crowd / "annotations.csv",
        tmp_path / "i.csv",
        "--kind",
        "set",
        "--out-layout",
        "indicators",
    )
    assert done.exit_code == 0, done.output
    for source, options in (
        (crowd / "annotations.csv", ("--kind", "set")),
        (tmp_path / "i.csv", ("--layout", "indicators")),
    ):
        name = tmp_path / f"{source.stem}.out.csv"
        assert run("aggregate", source, *options, "--out", name, "--quiet").exit_code == 0
    assert (tmp_path / "annotations.out.csv").read_text() == (tmp_path / "i.out.csv").read_text()
    back = run("convert", tmp_path / "i.csv", tmp_path / "b.csv", "--layout", "indicators")
    assert "nothing was lost" in back.output
