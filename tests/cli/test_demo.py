from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

from manyhands.catalog import default_method, methods_for

from .shell import run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "d"
    return folder, run("demo", "--out", folder)


@pytest.mark.slow
def test_it_compares_all_methods_and_says_what_next(made):
    _, done = made
    assert done.exit_code == 0, done.stderr
    assert all(method.name in done.output for method in methods_for("class"))
    assert "manyhands aggregate" in done.output


@pytest.mark.slow
def test_the_comparison_is_true(made):
    folder, _ = made
    files = {
        name: pd.read_csv(folder / f"{name}.csv") for name in ("labels", "truth", "consensus", "comparison")
    }
    both = files["consensus"].merge(files["truth"], on="task", suffixes=("", "_true"))
    table = files["comparison"].set_index("method")
    accuracy = (both["label"] == both["label_true"]).mean()
    assert table.loc[default_method("class").name, "accuracy"] == pytest.approx(accuracy)
    votes = (
        files["labels"].groupby("task")["label"].agg(lambda said: said.value_counts().sort_index().idxmax())
    )
    plain = (votes == files["truth"].set_index("task")["label"].loc[votes.index]).mean()
    assert table.loc["majority", "accuracy"] == pytest.approx(plain)
    assert accuracy > plain + 0.03


def test_strangers_are_trusted_less_than_workers(made):
    folder, _ = made
    people = pd.read_csv(folder / "annotators.csv")
    mean = people.groupby(people["annotator"].str.split("-").str[0])["spammer_score"].mean()
    assert mean["stranger"] < mean["worker"]


def test_what_it_advises_works(made, tmp_path):
    folder, _ = made
    done = run(
        "aggregate",
        folder / "labels.csv",
        "--truth",
        folder / "truth.csv",
        "--save",
        tmp_path / "r",
        "--json",
    )
    table = pd.read_csv(folder / "comparison.csv").set_index("method")
    told = json.loads(done.stdout)["scores"]["accuracy"]
    assert told == pytest.approx(table.loc[default_method("class").name, "accuracy"], abs=0.01)
    assert run("explain", tmp_path / "r", "t0").exit_code == 0
    assert run("check", folder / "labels.csv").exit_code == 0


def test_it_ends_with_a_report_and_says_where_it_lies(made):
    folder, done = made
    assert f"The report lies in {folder / 'report.html'}" in done.output.replace("\n", "")
    page = (folder / "report.html").read_text()
    table = pd.read_csv(folder / "comparison.csv")
    assert "Methods compared" in page
    assert all(name in page for name in table["method"])


@pytest.mark.slow
def test_without_its_packages_it_says_what_is_lacking(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    done = run("demo", "--out", tmp_path / "d")
    assert done.exit_code == 0
    assert "pip install 'manyhands[report]'" in done.output
    assert not (tmp_path / "d" / "report.html").exists()
    assert (tmp_path / "d" / "comparison.csv").exists()


@pytest.mark.slow
def test_a_file_in_its_place_is_an_error(tmp_path):
    (tmp_path / "d").write_text("mine")
    done = run("demo", "--out", tmp_path / "d")
    assert done.exit_code == 1
    assert (tmp_path / "d").read_text() == "mine"
