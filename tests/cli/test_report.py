"""`manyhands report`: of results, models and labels."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh

from .shell import run, table


def test_of_labels_which_are_aggregated_first(tmp_path: Path) -> None:
    done = run("report", table(tmp_path / "votes.csv"), "--out", tmp_path / "r.html")
    assert done.exit_code == 0, done.output
    assert "Agreement is" in done.stdout
    assert f"wrote report: {tmp_path / 'r.html'}" in done.stdout
    page = (tmp_path / "r.html").read_text()
    assert "dawid-skene-map" in page
    assert "votes.csv: who said what" in page


def test_of_a_saved_result_and_of_a_model(tmp_path: Path) -> None:
    crowd = mh.simulate("groups", n_tasks=60, n_annotators=5, n_features=2, seed=0)
    mh.GLAD(max_iter=5, tol=1.0).fit(crowd.labels).result_.save(tmp_path / "result")
    mh.CMM(epochs=1, network="linear").fit(crowd.features, crowd.labels).save(tmp_path / "model")
    for source, words in (("result", "glad"), ("model", "Group 3")):
        out = tmp_path / f"{source}.html"
        done = run("report", tmp_path / source, "--out", out, "--title", "Mine", "--json")
        assert done.exit_code == 0, done.output
        said = json.loads(done.stdout)
        assert said["written"] == {"report": str(out)}
        assert said["bytes"] == out.stat().st_size
        page = out.read_text()
        assert "<h1>Mine</h1>" in page
        assert words in page


def test_texts_and_pictures_from_files(tmp_path: Path) -> None:
    from manyhands.reports.numbers.pictures import _png

    votes = table(tmp_path / "votes.csv")
    table(tmp_path / "texts.csv", [("i1", "a <b>bold</b> word"), ("i3", "")], ("task", "body"))
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "i1.png").write_bytes(_png(np.zeros((2, 2, 3), np.uint8)))
    given = ("--texts", tmp_path / "texts.csv", "--text-column", "body", "--pictures", tmp_path / "pictures")
    done = run("report", votes, "--out", tmp_path / "r.html", *given)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "r.html").read_text()
    assert "a &lt;b&gt;bold&lt;/b&gt; word" in page
    assert page.count("data:image/png") == 1
    np.savez(tmp_path / "p.npz", X=np.zeros((1, 4, 4, 3), np.uint8), ids=np.array(["i1"]))
    done = run("report", votes, "--out", tmp_path / "r.html", "--pictures", tmp_path / "p.npz")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "r.html").read_text().count("data:image/png") == 1


def test_what_cannot_be_is_told_before_the_work(tmp_path: Path) -> None:
    votes = table(tmp_path / "votes.csv")
    for out, words in (
        (votes, "overwrite"),
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "r.html", "there is no folder"),
    ):
        done = run("report", votes, "--out", out)
        assert done.exit_code == 1
        assert words in done.stderr
    table(tmp_path / "texts.csv", [("i1", "x")], ("task", "body"))
    done = run("report", votes, "--out", tmp_path / "r.html", "--texts", tmp_path / "texts.csv")
    assert done.exit_code == 1
    assert "--text-column" in done.stderr
    result = tmp_path / "result"
    mh.MajorityVote().fit(mh.read(votes)).result_.save(result)
    done = run("report", result, "--method", "glad", "--out", tmp_path / "r.html")
    assert done.exit_code == 2
    assert not (tmp_path / "r.html").exists()


def test_a_missing_package_has_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    done = run("report", table(tmp_path / "votes.csv"), "--out", tmp_path / "r.html")
    assert done.exit_code == 1
    assert "pip install 'manyhands[report]'" in done.stderr
    assert not (tmp_path / "r.html").exists()


@pytest.mark.slow
def test_the_comparison_goes_first_where_it_is_asked_for(tmp_path: Path) -> None:
    votes = table(tmp_path / "votes.csv")
    done = run("report", votes, "--out", tmp_path / "r.html", "--compare", "--json")
    assert done.exit_code == 0, done.output
    taken = next(
        said
        for said in json.loads(done.stdout)["findings"]
        if said.startswith("Of the methods compared, take ")
    )
    page = (tmp_path / "r.html").read_text()
    assert "Which method to believe" in page
    assert 'class="picked"' in page
    assert taken.split("take ")[1].split(":")[0] in page
    mh.MajorityVote().fit(mh.read(votes)).result_.save(tmp_path / "result")
    done = run("report", tmp_path / "result", "--compare", "--out", tmp_path / "r.html")
    assert done.exit_code == 2
    assert "fitted already" in done.stderr
