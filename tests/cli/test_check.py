"""Each oddity is planted, found, and not found where it is not."""

from __future__ import annotations

import json

import numpy as np
import pytest

import manyhands as mh
from manyhands.cli.oddities import find_oddities

from .shell import run, table


def found(path, *options):
    done = run("check", path, "--json", *options)
    assert done.exit_code == 0, done.stderr
    return {odd["name"]: odd for odd in json.loads(done.stdout)["oddities"]}


def crowd_rows(tasks=60, people=6, classes=("cat", "dog", "owl"), right=0.8, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(classes), size=tasks)
    said = np.where(
        rng.random((tasks, people)) < right, truth[:, None], rng.integers(len(classes), size=(tasks, people))
    )
    return [(f"t{i}", f"p{j}", classes[said[i, j]]) for i in range(tasks) for j in range(people)]


def test_a_sound_crowd_has_nothing_odd_and_strict_agrees(tmp_path):
    votes = table(tmp_path / "v.csv", crowd_rows())
    assert found(votes) == {}
    assert run("check", votes, "--strict").exit_code == 0
    assert "nothing odd" in run("check", votes).output


def test_strict_leaves_with_3_where_anything_is_odd(tmp_path):
    votes = table(tmp_path / "v.csv", [*crowd_rows(), ("t99", "p0", "cat")])
    assert run("check", votes).exit_code == 0
    assert run("check", votes, "--strict").exit_code == 3


@pytest.mark.parametrize(
    ("extra", "name", "count", "example"),
    [
        ([("t0", "P0 ", "cat"), ("t1", "P0 ", "cat")], "similar-annotators", 1, "'p0' = 'P0 '"),
        ([("t0", "new", "Cat"), ("t1", "new", "Cat")], "similar-classes", 1, "'Cat' = 'cat'"),
        ([("t99", "p0", "cat"), ("t98", "p1", "cat")], "tasks-with-one-answer", 2, "'t99'"),
        ([("t0", "new", "cat")], "annotators-with-one-answer", 1, "'new'"),
        ([("t0", "new", "cow"), ("t1", "new", "cat")], "classes-used-once", 1, "'cow'"),
        ([("t0", "new", "unsure"), ("t1", "new", "unsure")], "classes-that-say-nothing", 1, "'unsure'"),
        ([("t0", "p0", "cat"), ("t3", "p0", "cat")], "repeated-pairs", 2, "task 't0', annotator 'p0'"),
        ([("t0", "new", ""), ("t1", "new", "cat"), ("t2", "new", "dog")], "empty-labels", 1, "v.csv:362"),
        ([(f"t{i}", "new", "cat") for i in range(20)], "one-answer-annotators", 1, "'new' ('cat', 20 times)"),
    ],
    ids=lambda value: value if isinstance(value, str) and "-" in value else "",
)  # fmt: skip
@pytest.mark.slow
def test_what_is_planted_is_found(tmp_path, extra, name, count, example):
    odd = found(table(tmp_path / "v.csv", [*crowd_rows(), *extra]))
    assert set(odd) == {name}
    assert odd[name]["count"] == count
    assert example in odd[name]["examples"][0]
    assert odd[name]["cure"]


def test_empty_labels_and_repeats_together_are_counted_and_the_cures_work(tmp_path):
    votes = table(
        tmp_path / "v.csv", [*crowd_rows(), ("t0", "p0", "cat"), ("t1", "p9", ""), ("t2", "p9", "")]
    )
    odd = found(votes)
    assert odd["empty-labels"]["count"] == 2
    assert odd["repeated-pairs"]["count"] == 1
    assert "silent-annotators" in odd  # p9 said nothing
    assert run("aggregate", votes).exit_code == 1
    assert run("aggregate", votes, "--missing", "drop", "--repeats", "first").exit_code == 0


def test_declared_classes_that_nobody_used(tmp_path):
    odd = found(table(tmp_path / "v.csv", crowd_rows()), "--classes", "cat,dog,owl,emu")
    assert odd["unused-classes"]["examples"] == ["'emu'"]


def test_one_class_only(tmp_path):
    assert found(
        table(
            tmp_path / "v.csv", [("a", "x", "cat"), ("a", "y", "cat"), ("b", "x", "cat"), ("b", "y", "cat")]
        )
    )["one-class"]["examples"] == ["'cat'"]


def test_numbers_and_sets_that_are_read_as_classes(tmp_path):
    grades = [(f"t{i}", f"p{j}", i * 3 + j) for i in range(20) for j in range(3)]
    assert (
        "--kind number"
        in found(table(tmp_path / "n.csv", grades), "--kind", "class")["numbers-as-classes"]["cure"]
    )
    sets = [(f"t{i}", f"p{j}", ("a|b", "a", "b|c")[(i + j) % 3]) for i in range(20) for j in range(3)]
    assert (
        "--kind set" in found(table(tmp_path / "s.csv", sets), "--kind", "class")["sets-as-classes"]["cure"]
    )


def test_who_answers_at_random_or_the_wrong_way_round():
    crowd = mh.simulate(
        "one-coin", n_tasks=400, n_annotators=8, n_classes=2, redundancy=6, seed=2, accuracy=(0.85, 0.95)
    )
    rng = np.random.default_rng(0)
    said = crowd.labels.to_frame().to_dicts()
    for row in said:
        if row["annotator"] == "a0":
            row["label"] = int(rng.integers(2))
        if row["annotator"] == "a1":
            row["label"] = 1 - row["label"]
    labels = mh.Annotations.from_arrays(*([row[c] for row in said] for c in ("task", "annotator", "label")))
    odd = {o.name: o for o in find_oddities(labels)}
    assert set(odd) == {"chance-annotators", "against-the-rest"}
    assert (odd["chance-annotators"].count, odd["against-the-rest"].count) == (1, 1)
    assert odd["chance-annotators"].examples[0].startswith("'a0'")
    assert odd["against-the-rest"].examples[0].startswith("'a1'")


def test_odd_numbers():
    crowd = mh.simulate("numbers", n_tasks=200, n_annotators=6, redundancy=5, seed=1, noise=(0.1, 0.3))
    rows = crowd.frame().to_dicts()
    for row in rows:
        row["label"] = {"a0": 1.0, "a1": -row["label"]}.get(row["annotator"], row["label"])
    rows[7]["label"] = 1e4
    labels = mh.Annotations.from_arrays(
        *([row[c] for row in rows] for c in ("task", "annotator", "label")), kind="number"
    )
    odd = {o.name: o for o in find_oddities(labels)}
    assert odd["far-numbers"].count == 1
    assert odd["far-numbers"].examples[0].startswith("10000 by")
    assert odd["one-answer-annotators"].examples == ("'a0'",)
    assert odd["against-the-rest"].examples == ("'a1'",)


def test_odd_times(tmp_path):
    rows = [(*row, 1 if row[1] == "p3" else 20) for row in crowd_rows()]
    rows[0], rows[1] = (*rows[0][:3], 0), (*rows[1][:3], 5000)
    odd = found(table(tmp_path / "v.csv", rows, ("task", "annotator", "label", "seconds")))
    assert {name: o["count"] for name, o in odd.items()} == {
        "no-time:seconds": 1,
        "hasty:seconds": 1,
        "long:seconds": 1,
    }
    assert odd["hasty:seconds"]["examples"] == ["'p3' (1)"]


def test_a_time_of_day_is_no_duration(tmp_path):
    rows = [(*row, 1_700_000_000 + 60 * n) for n, row in enumerate(crowd_rows())]
    assert found(table(tmp_path / "v.csv", rows, ("task", "annotator", "label", "time"))) == {}


def test_the_summary_and_the_agreement_are_those_of_the_library(tmp_path):
    votes = table(tmp_path / "v.csv", crowd_rows())
    data = json.loads(run("check", votes, "--json").stdout)
    labels = mh.read(votes)
    assert data["summary"]["answers"] == labels.n_answers == 360
    assert data["agreement"] == mh.agreement(labels).to_dict()
    shown = run("check", votes).output
    assert "alpha_nominal" in shown
    assert "60 tasks, 6 annotators, 360 answers" in shown


def test_what_no_option_cures_is_an_error(tmp_path):
    done = run("check", table(tmp_path / "v.csv", [("", "ann", "cat"), ("b", "ann", "cat")]))
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
