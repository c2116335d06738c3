from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import manyhands as mh

from .shell import rows_of, run, table

TRUTH = [("i1", "cat"), ("i2", "dog"), ("i3", "dog"), ("i9", "cat")]


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    return table(tmp_path / "votes.csv")


def test_the_consensus_of_a_majority_is_what_one_counts_by_hand(votes, tmp_path):
    done = run("aggregate", votes, "-m", "majority", "--out", tmp_path / "out.csv", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    rows = rows_of(tmp_path / "out.csv")
    assert [(r["task"], r["label"], r["n"]) for r in rows] == [
        ("i1", "cat", "3"), ("i2", "dog", "3"), ("i3", "cat", "3"), ("i4", "cat", "3")
    ]  # fmt: skip
    assert [float(r["confidence"]) for r in rows] == pytest.approx([2 / 3, 1, 2 / 3, 1], abs=1e-6)


def test_every_output_is_written_and_the_result_opens_again(votes, tmp_path):
    done = run(
        "aggregate", votes, "--out", tmp_path / "c.parquet", "--annotators", tmp_path / "a.jsonl.gz",
        "--tasks-out", tmp_path / "t.csv", "--save", tmp_path / "result",
    )  # fmt: skip
    assert done.exit_code == 0
    opened = mh.load(tmp_path / "result")
    again = mh.method("dawid-skene-map").make().fit(mh.read(votes)).result_
    assert opened.consensus().equals(again.consensus())
    assert mh.io.read_frame(tmp_path / "c.parquet").equals(again.consensus())
    assert mh.io.read_frame(tmp_path / "a.jsonl.gz")["annotator"].to_list() == ["ann", "bob", "cid"]
    assert {"entropy", "agreement"} <= set(rows_of(tmp_path / "t.csv")[0])


def test_without_out_the_summary_shows_the_head_and_says_how_to_write(votes):
    shown = run("aggregate", votes).output
    assert "dawid-skene-map" in shown
    assert "3 annotators" in shown
    assert "i4" in shown
    assert "--out consensus.csv" in shown


def test_json_is_all_there_is_on_stdout(votes):
    data = json.loads(run("aggregate", votes, "--method", "one-coin", "--json").stdout)
    assert (data["method"], data["tasks"], data["annotators"], data["answers"]) == ("one-coin", 4, 3, 12)
    assert data["converged"] is True
    assert data["scores"] is None


def test_scores_are_those_one_counts_by_hand(votes, tmp_path):
    truth = table(tmp_path / "truth.csv", TRUTH, ("task", "label"))
    data = json.loads(run("aggregate", votes, "-m", "majority", "--truth", truth, "--json").stdout)
    assert data["scores"]["tasks"] == 3  # nobody labelled i9
    assert data["scores"]["accuracy"] == pytest.approx(2 / 3)
    assert data["scores"]["log_loss"] == pytest.approx(
        -(math.log(2 / 3) + math.log(1) + math.log(1 / 3)) / 3, abs=1e-6
    )


def test_a_true_class_that_nobody_used_counts_as_wrong(votes, tmp_path):
    truth = table(tmp_path / "truth.csv", [("i1", "owl"), ("i2", "dog")], ("task", "label"))
    data = json.loads(run("aggregate", votes, "--truth", truth, "--json").stdout)
    assert data["scores"]["accuracy"] == 0.5
    assert data["classes"] == ["cat", "dog"]


def test_truth_is_never_used_in_the_fit_and_gold_is(votes, tmp_path):
    truth = table(tmp_path / "truth.csv", [("i1", "dog")], ("task", "label"))
    for name, extra in (("plain", []), ("scored", ["--truth", truth]), ("taught", ["--gold", truth])):
        assert run("aggregate", votes, "--out", tmp_path / f"{name}.csv", *extra).exit_code == 0
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "scored.csv").read_bytes()
    assert rows_of(tmp_path / "plain.csv")[0]["label"] == "cat"
    assert rows_of(tmp_path / "taught.csv")[0]["label"] == "dog"


def test_gold_may_be_a_column(tmp_path):
    rows = [("i1", j, "cat", "dog") for j in ("ann", "bob")] + [("i2", j, "dog", "") for j in ("ann", "bob")]
    votes = table(tmp_path / "v.csv", rows, ("task", "annotator", "label", "known"))
    assert run("aggregate", votes, "--gold", "known", "--out", tmp_path / "c.csv").exit_code == 0
    assert rows_of(tmp_path / "c.csv")[0]["label"] == "dog"


def test_numbers_are_scored_by_their_errors(tmp_path):
    votes = table(tmp_path / "v.csv", [("a", "x", 1.5), ("a", "y", 2.5), ("b", "x", 3.5), ("b", "y", 4.5)])
    truth = table(tmp_path / "t.csv", [("a", 2), ("b", 5)], ("task", "label"))
    done = run("aggregate", votes, "--kind", "number", "-m", "mean", "--truth", truth, "--json")
    assert json.loads(done.stdout)["scores"]["rmse"] == pytest.approx(math.sqrt(0.5))


def test_tags_come_out_as_they_went_in(tmp_path):
    votes = table(tmp_path / "v.csv", [("s", "x", "O B-PER"), ("s", "y", "O B-PER"), ("s", "z", "O O")])
    truth = table(tmp_path / "t.csv", [("s", "O B-PER")], ("task", "label"))
    done = run(
        "aggregate",
        votes,
        "--kind",
        "tags",
        "-m",
        "majority",
        "--truth",
        truth,
        "--out",
        tmp_path / "c.csv",
        "--json",
    )
    assert json.loads(done.stdout)["scores"]["accuracy"] == 1.0
    assert rows_of(tmp_path / "c.csv")[0]["label"] == "O B-PER"


def test_reading_options_reach_the_reader(tmp_path):
    rows = [
        ("i1", "ann", "cat"),
        ("i1", "bob", "?"),
        ("i1", "cid", ""),
        ("i1", "ann", "dog"),
        ("i2", "ann", "cat"),
    ]
    votes = table(tmp_path / "v.txt", rows, ("thing", "who", "said"))
    done = run(
        "aggregate", votes, "--columns", "task=thing,annotator=who,label=said", "--abstain", "?", "--missing", "drop",
        "--repeats", "last", "--classes", "owl,cat,dog", "--from", "csv", "-m", "majority", "--json",
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert (data["answers"], data["classes"]) == (3, ["owl", "cat", "dog"])


def test_a_wide_table_is_read(tmp_path):
    votes = table(tmp_path / "w.csv", [("i1", "cat", "cat"), ("i2", "dog", "")], ("task", "ann", "bob"))
    data = json.loads(run("aggregate", votes, "--layout", "wide", "-m", "majority", "--json").stdout)
    assert (data["tasks"], data["annotators"], data["answers"]) == (2, 2, 3)


def test_set_reaches_the_method_and_a_fit_that_stops_early_warns_in_one_line(tmp_path):
    crowd = mh.simulate("confusion", n_tasks=300, n_annotators=20, seed=1)
    mh.write(crowd.labels, tmp_path / "v.csv")
    done = run(
        "aggregate", tmp_path / "v.csv", "-m", "dawid-skene", "--set", "max_iter=3", "--seed", "5", "--json"
    )
    data = json.loads(done.stdout)
    assert (data["settings"]["max_iter"], data["settings"]["random_state"]) == (3, 5)
    assert data["converged"] is False
    assert done.stderr.startswith("warning: ")
    assert done.stderr.count("\n") == 1
    assert "--set max_iter=" in done.stderr


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["-m", "dawid-sken"], "Did you mean 'dawid-skene'"),
        (["-m", "glad", "--set", "max_itr=2"], "did you mean 'max_iter'"),
        (["--set", "shared=lots"], "shared=lots"),
    ],
)
def test_wrong_usage_leaves_with_2_and_says_what_was_meant(votes, extra, told):
    done = run("aggregate", votes, *extra)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--out", "votes.csv"], "overwrite the input"),
        (["--out", "none/c.csv"], "no folder"),
        (["--out", "c.xlsx"], "suffix"),
        (["--out", "c.csv", "--annotators", "c.csv"], "named twice"),
        (["--save", "votes.csv"], "is a file"),
        (["-m", "mean"], "kind number"),
        (["--truth", "none.csv"], "no such file"),
        (["--gold", "none.csv"], "neither a column"),
    ],
)
def test_bad_input_leaves_with_1_in_one_line_and_writes_nothing(votes, extra, told, monkeypatch):
    monkeypatch.chdir(votes.parent)
    before = votes.read_bytes()
    done = run("aggregate", "votes.csv", "--tasks-out", "t.csv", *extra)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert told in done.stderr
    assert [path.name for path in votes.parent.iterdir()] == ["votes.csv"]
    assert votes.read_bytes() == before


def test_when_the_last_output_fails_none_is_written(votes, tmp_path, monkeypatch):
    from manyhands.results import Result

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "c.csv").write_text("old")
    monkeypatch.setattr(Result, "save", full)
    done = run(
        "aggregate",
        votes,
        "--out",
        tmp_path / "c.csv",
        "--annotators",
        tmp_path / "a.csv",
        "--save",
        tmp_path / "r",
    )
    assert done.exit_code == 1
    assert "No space left" in done.stderr
    assert (tmp_path / "c.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.csv", "votes.csv"]


def test_the_error_of_a_bad_row_names_file_and_line(tmp_path):
    votes = table(tmp_path / "v.csv", [("i1", "ann", "cat"), ("i2", "ann", "")])
    done = run("aggregate", votes)
    assert done.exit_code == 1
    assert f"{votes}:3" in done.stderr
    assert "--missing drop" in done.stderr
