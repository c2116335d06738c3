from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import manyhands as mh
from manyhands.io import read

from .shell import VOTES, rows_of, run, table


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "tsv.gz", "parquet", "jsonl", "jsonl.gz"])
def test_a_round_through_any_format_loses_nothing(tmp_path, suffix):
    votes = table(tmp_path / "v.csv")
    done = run("convert", votes, tmp_path / f"o.{suffix}", "--json")
    assert json.loads(done.stdout)["lost"] == []
    assert read(tmp_path / f"o.{suffix}").equals(read(votes))


def test_a_wide_table_is_that_of_pandas_and_comes_back(tmp_path):
    rows = [row for n, row in enumerate(VOTES) if n not in (1, 9)]
    votes = table(tmp_path / "v.csv", rows)
    assert run("convert", votes, tmp_path / "w.csv", "--out-layout", "wide").exit_code == 0
    ours = pd.read_csv(tmp_path / "w.csv").set_index("task").rename_axis(columns="annotator")
    pivot = pd.read_csv(votes).pivot(index="task", columns="annotator", values="label")
    pd.testing.assert_frame_equal(ours[sorted(ours)], pivot, check_dtype=False)
    run("convert", tmp_path / "w.csv", tmp_path / "back.csv", "--layout", "wide")
    assert sorted(tuple(r.values()) for r in rows_of(tmp_path / "back.csv")) == sorted(rows)


def test_what_is_lost_is_said(tmp_path):
    rows = [(*row, "x", 3) for row in VOTES] + [("i1", "ann", "dog", "x", 3), ("i5", "ann", "?", "x", 3)]
    votes = table(tmp_path / "v.csv", rows, ("task", "annotator", "label", "group", "seconds"))
    options = ["--repeats", "all", "--abstain", "?", "--classes", "cat,dog,owl", "--json"]
    wide = json.loads(run("convert", votes, tmp_path / "w.csv", "--out-layout", "wide", *options).stdout)[
        "lost"
    ]
    assert any("group, seconds" in loss for loss in wide)
    assert any(loss.startswith("1 repeated answers") for loss in wide)
    assert any(loss.startswith("1 abstentions") for loss in wide)
    assert any("order of the classes" in loss for loss in wide)
    long = json.loads(run("convert", votes, tmp_path / "l.jsonl", *options).stdout)["lost"]
    assert any(loss.endswith(": group") for loss in long)
    assert not any("repeated" in loss for loss in long)


def test_a_text_file_does_not_know_integers_from_text(tmp_path):
    mh.write(mh.Annotations.from_matrix([[0, 1], [1, 1]]), tmp_path / "v.parquet")
    lost = json.loads(run("convert", tmp_path / "v.parquet", tmp_path / "v.csv", "--json").stdout)["lost"]
    assert [loss for loss in lost if "text and numbers" in loss] == lost != []


@pytest.mark.parametrize(
    ("out", "extra", "code", "told"),
    [
        ("v.csv", [], 1, "overwrite the input"),
        ("o.xlsx", [], 1, "suffix"),
        ("o.csv", ["--out-layout", "tall"], 2, "long, wide or indicators"),
        ("none/o.csv", [], 1, "no folder"),
    ],
)
def test_refusals(tmp_path, out, extra, code, told):
    done = run("convert", table(tmp_path / "v.csv"), tmp_path / out, *extra)
    assert done.exit_code == code
    assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["v.csv"]


def test_several_labels_do_not_fit_into_a_wide_cell(tmp_path):
    votes = table(tmp_path / "v.csv", [("a", "x", "p|q"), ("a", "y", "p")])
    done = run("convert", votes, tmp_path / "w.csv", "--kind", "set", "--out-layout", "wide")
    assert done.exit_code == 1
    assert "keep it long" in done.stderr


def test_from_one_tool_to_another_by_way_of_a_third(tmp_path):
    golden = Path(__file__).parents[1] / "io/golden/label-studio.tags.json"
    steps = [
        ("prodigy", "p.jsonl"),
        ("sagemaker", "s.json"),
        ("label-studio", "l.json"),
    ]
    before = golden
    for tool, name in steps:
        done = run("convert", before, tmp_path / name, "--to", tool, "--json")
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)["lost"] == []
        before = tmp_path / name
    assert read(before).equals(read(golden))


def test_a_tool_s_export_as_a_table_and_what_it_loses(tmp_path):
    golden = Path(__file__).parents[1] / "io/golden/label-studio.class.json"
    done = run("convert", golden, tmp_path / "v.csv", "--json")
    assert any("1 abstentions are empty labels" in loss for loss in json.loads(done.stdout)["lost"])
    assert [row["annotator"] for row in rows_of(tmp_path / "v.csv")] == ["7", "8", "9", "7", "9"]
    done = run("convert", tmp_path / "v.csv", tmp_path / "a.json", "--to", "argilla", "--missing", "abstain")
    assert "lost: 1 abstentions" in done.stdout
    assert "what the tasks show" in done.stdout
    assert run("convert", golden, tmp_path / "x", "--to", "excel").exit_code == 2
    assert run("convert", golden, tmp_path / "x", "--to", "prodigy", "--out-layout", "wide").exit_code == 2


def test_verdicts_in_words(tmp_path):
    votes = table(tmp_path / "v.csv", [("a", "gpt", "Yes!"), ("a", "owl", "hm"), ("b", "gpt", "no")])
    (tmp_path / "p.json").write_text('{"no": "^no", "yes": "^yes"}')
    done = run("convert", votes, tmp_path / "o.csv", "--verdicts", tmp_path / "p.json")
    assert done.exit_code == 0
    assert [row["label"] for row in rows_of(tmp_path / "o.csv")] == ["yes", "", "no"]
    assert "1 matching no pattern" in done.stderr
    (tmp_path / "p.json").write_text("[1]")
    assert (
        "not an object" in run("convert", votes, tmp_path / "x.csv", "--verdicts", tmp_path / "p.json").stderr
    )
