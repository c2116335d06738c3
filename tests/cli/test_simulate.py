from __future__ import annotations

import json

import numpy as np
import pytest

import manyhands as mh
from manyhands.cli import simulate as _verb  # noqa: F401  (the module, for the size of its blocks)
from manyhands.io import read, read_frame, read_truth

from .shell import rows_of, run

KINDS = {
    "confusion": "class",
    "numbers": "number",
    "tags": "tags",
    "sets": "set",
    "soft": "soft",
    "ordinal": "ordinal",
}


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("crowd", ["confusion", "tags"])
@pytest.mark.slow
def test_many_blocks_are_one_crowd(tmp_path, monkeypatch, format, crowd):
    monkeypatch.setattr("manyhands.cli.simulate.BLOCK", 70)
    done = run("simulate", "--out", tmp_path / "d", "--crowd", crowd, "--tasks", 200, "--annotators", 9, "--seed", 3,
               "--redundancy", "2,4", "--format", format)  # fmt: skip
    assert done.exit_code == 0, done.stderr
    whole = mh.simulate(crowd, n_tasks=200, n_annotators=9, redundancy=(2, 4), seed=3)
    mh.write(whole.labels, tmp_path / f"whole.{format}")
    ours = read_frame(tmp_path / "d" / f"annotations.{format}")
    assert ours.equals(read_frame(tmp_path / f"whole.{format}"))
    truth = read_frame(tmp_path / "d" / f"truth.{format}")
    assert truth["task"].to_list() == whole.truth_frame()["task"].to_list()
    assert read_frame(tmp_path / "d" / f"tasks.{format}")["task"].to_list() == [f"t{i}" for i in range(200)]


@pytest.mark.parametrize("crowd", KINDS)
@pytest.mark.slow
def test_what_is_written_reads_back_and_can_be_scored(tmp_path, crowd):
    run("simulate", "--out", tmp_path, "--crowd", crowd, "--tasks", 60, "--annotators", 6)
    whole = mh.simulate(crowd, n_tasks=60, n_annotators=6)
    labels = read(tmp_path / "annotations.csv", kind=KINDS[crowd])
    assert (labels.n_tasks, labels.n_answers) == (60, whole.labels.n_answers)
    assert len(read_truth(tmp_path / "truth.csv")) == 60
    done = run(
        "aggregate",
        tmp_path / "annotations.csv",
        "--kind",
        KINDS[crowd],
        "--truth",
        tmp_path / "truth.csv",
        "--json",
    )
    scores = json.loads(done.stdout)["scores"]
    assert scores.get("accuracy", 0) > 0.75 or scores.get("pearson", 0) > 0.9


def test_features_and_what_is_hidden_are_arrays(tmp_path):
    run(
        "simulate",
        "--out",
        tmp_path,
        "--tasks",
        50,
        "--annotators",
        7,
        "--classes",
        3,
        "--set",
        "n_features=4",
        "--seed",
        2,
    )
    whole = mh.simulate("confusion", n_tasks=50, n_annotators=7, n_features=4, seed=2)
    with np.load(tmp_path / "features.npz", allow_pickle=False) as features:
        np.testing.assert_array_equal(features["X"], whole.features)
    with np.load(tmp_path / "confusions.npz", allow_pickle=False) as hidden:
        np.testing.assert_array_equal(hidden["confusions"], whole.confusions)
        assert hidden["annotators"].tolist() == [f"a{j}" for j in range(7)]


def test_the_settings_are_kept_beside_the_crowd(tmp_path):
    run(
        "simulate",
        "--out",
        tmp_path,
        "--tasks",
        50,
        "--crowd",
        "spammers",
        "--set",
        "accuracy=0.5,0.7",
        "--seed",
        4,
    )
    kept = json.loads((tmp_path / "simulation.json").read_text())
    assert (kept["crowd"], kept["seed"], kept["accuracy"]) == ("spammers", 4, [0.5, 0.7])


def test_json_says_what_was_written(tmp_path):
    data = json.loads(run("simulate", "--out", tmp_path, "--tasks", 50, "--redundancy", 2, "--json").stdout)
    assert (data["tasks"], data["answers"]) == (50, 100)
    assert all((tmp_path / name).is_file() for name in data["written"])


@pytest.mark.parametrize(
    ("extra", "code", "told"),
    [
        (["--crowd", "spamers"], 2, "Did you mean 'spammers'"),
        (["--set", "sharpness=1"], 2, "no parameter 'sharpness'"),
        (["--redundancy", "few"], 2, "as 2,5"),
        (["--format", "xml"], 2, "parquet"),
        (["--redundancy", "60", "--annotators", "5"], 1, "more answers a task than there are annotators"),
        (["--tasks", "0"], 1, "n_tasks=0"),
    ],
)
def test_wrong_wishes_leave_no_folder_behind(tmp_path, extra, code, told):
    done = run("simulate", "--out", tmp_path / "d", *extra)
    assert done.exit_code == code
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / "d").exists()


def test_a_failure_half_way_leaves_the_old_files_as_they_were(tmp_path, monkeypatch):
    run("simulate", "--out", tmp_path, "--tasks", 20, "--seed", 1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr("manyhands.cli.simulate.BLOCK", 10)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("manyhands.cli.joining.join_parts", full)
    assert run("simulate", "--out", tmp_path, "--tasks", 20, "--seed", 2).exit_code == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_seed_decides(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("simulate", "--out", tmp_path / name, "--tasks", 30, "--seed", seed)
    a, b, c = (rows_of(tmp_path / name / "annotations.csv") for name in "abc")
    assert a == b != c
