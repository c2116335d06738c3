"""`manyhands compare`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh

from .shell import rows_of, run, table

FEW = ("--methods", "majority,one-coin", "--folds", "2")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crowd with truth and features."""
    folder = tmp_path_factory.mktemp("crowd")
    crowd = mh.simulate("groups", n_tasks=80, n_annotators=8, n_features=2, redundancy=4, seed=0)
    rows = crowd.labels.to_frame()
    table(folder / "votes.csv", [(t, j, f"c{v}") for t, j, v in rows.iter_rows()])
    table(folder / "truth.csv", [(f"t{i}", f"c{v}") for i, v in enumerate(crowd.truth)], ("task", "label"))
    np.savez(folder / "X.npz", X=crowd.features, ids=np.array([f"t{i}" for i in range(80)]))
    return folder


def test_the_table_and_the_pick(place: Path) -> None:
    done = run("compare", place / "votes.csv", *FEW)
    assert done.exit_code == 0, done.output
    assert "320 answers, each hidden once" in done.stdout
    assert "(pick)" in done.stdout
    assert "\nTake " in done.stdout
    assert "accuracy" not in done.stdout


def test_json_has_methods_and_one_pick(place: Path) -> None:
    done = run("compare", place / "votes.csv", *FEW, "--json", "--truth", place / "truth.csv")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert {row["name"] for row in said["methods"]} == {"majority", "one-coin"}
    assert said["pick"] in {"majority", "one-coin"}
    for row in said["methods"]:
        assert row["heldout_log_likelihood"] < 0 < row["se"]
        assert 0 < row["accuracy"] <= 1
        assert {"log_loss", "calibration_error", "calibration", "behind_se", "weight"} <= set(row)
    assert said["trust"] in (True, False)
    alone = json.loads(run("compare", place / "votes.csv", *FEW, "--json").stdout)
    assert [r["heldout_log_likelihood"] for r in alone["methods"]] == [
        r["heldout_log_likelihood"] for r in said["methods"]
    ]


def test_what_is_written(place: Path, tmp_path: Path) -> None:
    asked = {"out": "c.csv", "consensus": "s.csv", "disputed": "d.csv"}
    options = [word for name, file in asked.items() for word in (f"--{name}", tmp_path / file)]
    done = run("compare", place / "votes.csv", *FEW, *options, "--max-answers", 200)
    assert done.exit_code == 0, done.output
    assert "judged on 50 tasks of 80" in done.stdout
    assert [row["name"] for row in rows_of(tmp_path / "c.csv")]
    assert len(rows_of(tmp_path / "s.csv")) == 50
    assert all(row["majority"] != row["one-coin"] for row in rows_of(tmp_path / "d.csv"))


def test_lists_in_csv_are_text(tmp_path: Path) -> None:
    rows = [(f"t{i}", j, "x|y" if (i + k) % 3 else "x") for i in range(8) for k, j in enumerate("abc")]
    votes = table(tmp_path / "votes.csv", rows)
    done = run(
        "compare",
        votes,
        "--kind",
        "set",
        *FEW,
        "--consensus",
        tmp_path / "s.csv",
        "--disputed",
        tmp_path / "d.csv",
    )
    assert done.exit_code == 0, done.output
    assert {row["label"] for row in rows_of(tmp_path / "s.csv")} <= {"x", "x|y", "y", ""}


@pytest.mark.slow
def test_with_features(place: Path) -> None:
    done = run(
        "compare",
        place / "votes.csv",
        "--features",
        place / "X.npz",
        "--methods",
        "raykar",
        "--folds",
        2,
        "--json",
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["judged_by"] == "features"
    assert said["pick"] == "raykar"


def test_what_cannot_be_is_told_before_the_work(place: Path, tmp_path: Path) -> None:
    for args, code, words in (
        (["--methods", "gald"], 2, "glad"),
        (["--by", "features"], 2, "--features"),
        (["--by", "truth"], 2, "labels or features"),
        (["--out", place / "votes.csv"], 1, "overwrite"),
        (["--out", tmp_path / "no" / "c.csv"], 1, "there is no folder"),
        (["--methods", "conal"], 1, "--features"),
        (["--methods", "median"], 1, "does not take labels of kind 'class'"),
    ):
        done = run("compare", place / "votes.csv", *args)
        assert done.exit_code == code, (args, done.output)
        assert words in done.stderr
