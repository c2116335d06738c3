from __future__ import annotations

import json

import manyhands as mh

from .shell import run, table


def test_it_says_what_the_result_says(tmp_path):
    run("aggregate", table(tmp_path / "v.csv"), "--save", tmp_path / "r")
    why = mh.load(tmp_path / "r").explain("i1")
    assert run("explain", tmp_path / "r", "i1").output == f"{why}\n"
    data = json.loads(run("explain", tmp_path / "r", "i1", "--json").stdout)
    assert data["label"] == why.label
    assert [v["annotator"] for v in data["votes"]] == [v.annotator for v in why.votes]


def test_tasks_that_are_integers_are_found(tmp_path):
    labels = mh.Annotations.from_matrix([[0, 1, 1], [1, 1, 1]])
    mh.MajorityVote().fit(labels).result_.save(tmp_path / "r")
    assert run("explain", tmp_path / "r", "1").output.startswith("task 1: 1")


def test_an_unknown_task_and_a_folder_that_is_no_result_are_errors(tmp_path):
    run("aggregate", table(tmp_path / "v.csv"), "--save", tmp_path / "r")
    for args in ((tmp_path / "r", "i77"), (tmp_path, "i1")):
        done = run("explain", *args)
        assert done.exit_code == 1
        assert done.stderr.startswith("error: ")
