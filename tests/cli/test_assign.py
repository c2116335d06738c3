from __future__ import annotations

import json

import pytest

import manyhands as mh

from .shell import rows_of, run, table


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved result of 60 tasks and 6 annotators."""
    folder = tmp_path_factory.mktemp("assign") / "r"
    crowd = mh.simulate("confusion", n_tasks=60, n_annotators=6, redundancy=2, seed=0)
    mh.DawidSkene(right=2, wrong=1).fit(crowd.labels).result_.save(folder)
    return folder


def test_what_is_written_is_what_python_says(saved, tmp_path):
    out = tmp_path / "next.csv"
    done = run(
        "assign", saved, "--budget", 12, "--capacity", 3, "--confidence", 0.9, "--per-task", 2, "--out", out
    )
    assert done.exit_code == 0, done.output
    made = mh.assign(mh.load(saved), 12, capacity=3, confidence=0.9, per_task=2)
    told = [(row["task"], row["annotator"]) for row in rows_of(out)]
    assert told == [(task, who) for task, who, *_ in made.frame().rows()]
    assert [float(row["gain"]) for row in rows_of(out)] == pytest.approx(made.gain.tolist())
    assert f"{made.n_closed} settled" in done.output


def test_answers_to_what_was_asked_go_round(saved, tmp_path):
    """Next questions, answered and added, are not asked again."""
    run("assign", saved, "--budget", 10, "--out", tmp_path / "next.csv", "-q")
    asked = [(row["task"], row["annotator"]) for row in rows_of(tmp_path / "next.csv")]
    frame = mh.load(saved).labels.to_frame().select("task", "annotator", "label").rows()
    votes = table(tmp_path / "v.csv", [*frame, *((t, a, 1) for t, a in asked)])
    run("aggregate", votes, "--save", tmp_path / "again", "-q")
    run("assign", tmp_path / "again", "--budget", 500, "--per-task", 6, "--out", tmp_path / "then.csv", "-q")
    then = [(row["task"], row["annotator"]) for row in rows_of(tmp_path / "then.csv")]
    assert then
    assert not set(then) & set(asked)


def test_files_say_who_may_do_what(saved, tmp_path):
    people = table(tmp_path / "p.csv", [("a1", "2", "3"), ("zoe", "", "")], ("annotator", "cost", "capacity"))
    tasks = table(tmp_path / "t.csv", [("t1",), ("t2",), ("new",), ("newer",)], ("task",))
    skills = table(tmp_path / "s.csv", [("t1", "a1"), ("new", "a1"), ("t2", "a1")], ("task", "annotator"))
    args = (
        "assign",
        saved,
        "--budget",
        20,
        "--people",
        people,
        "--tasks",
        tasks,
        "--skills",
        skills,
        "--per-task",
        2,
    )
    told = json.loads(run(*args, "--cost", 4, "--json").stdout)["next"]
    assert {row["annotator"]: row["cost"] for row in told} == {"a1": 2.0, "zoe": 4.0}
    assert {row["task"] for row in told if row["annotator"] == "a1"} <= {"t1", "t2", "new"}
    assert {row["task"] for row in told} <= {"t1", "t2", "new", "newer"}
    assert sum(row["cost"] for row in told) <= 20


@pytest.mark.slow
def test_annotators_and_a_forecast_beside_it(saved, tmp_path):
    done = run(
        "assign", saved, "--budget", 100, "--annotators", tmp_path / "a.csv", "--forecast", tmp_path / "f.csv"
    )
    assert done.exit_code == 0, done.output
    assert [row["annotator"] for row in rows_of(tmp_path / "a.csv")] == list(mh.load(saved).labels.annotators)
    assert {row["advice"] for row in rows_of(tmp_path / "a.csv")} <= {"keep", "train", "drop", "unsure"}
    told = rows_of(tmp_path / "f.csv")
    assert [int(row["labels"]) for row in told] == [0, 20, 40, 60, 80, 100]
    best = mh.load(saved).consensus().select("task", "label").rows()
    gold = table(tmp_path / "g.csv", best, ("task", "label"))  # so the consensus is known to be right
    run("assign", saved, "--budget", 100, "--forecast", tmp_path / "f.csv", "--gold", gold, "-q")
    assert float(rows_of(tmp_path / "f.csv")[0]["accuracy"]) > float(told[0]["accuracy"])


@pytest.mark.slow
def test_a_model_reads_features(tmp_path):
    crowd = mh.simulate("confusion", n_tasks=80, n_annotators=5, redundancy=2, n_features=2, seed=0)
    mh.SpeeLFC(epochs=3).fit(crowd.features, crowd.labels).save(tmp_path / "m")
    rows = [(f"n{i}", *map(float, x)) for i, x in enumerate(crowd.features[:7])]
    features = table(tmp_path / "f.csv", rows, ("task", "x0", "x1"))
    told = json.loads(run("assign", tmp_path / "m", "--budget", 3, "--features", features, "--json").stdout)
    assert told["open"] == 7
    assert {row["task"] for row in told["next"]} <= {f"n{i}" for i in range(7)}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--budget", "5", "--tasks", "{folder}/wrong.csv"], "no column 'task'"),
        (["--budget", "5", "--people", "{folder}/people.csv"], "not a number"),
        (["--budget", "5", "--features", "{folder}/wrong.csv"], "no network"),
        (["--budget", "5", "--confidence", "7"], "confidence"),
        (["--budget", "5", "--out", "{folder}/no/next.csv"], "no folder"),
        (["--budget", "5", "--out", "{saved}/next.csv"], "overwrite"),
        (["--budget", "-5"], "budget"),
        ([], "budget"),
    ],
)
def test_what_is_wrong_is_said(saved, tmp_path, args, says):
    table(tmp_path / "wrong.csv", [("x",)], ("item",))
    table(tmp_path / "people.csv", [("a1", "much")], ("annotator", "cost"))
    done = run("assign", saved, *[arg.format(folder=tmp_path, saved=saved) for arg in args])
    assert done.exit_code in (1, 2)
    assert says in done.stderr
