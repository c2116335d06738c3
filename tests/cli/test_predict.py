from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh

from .crowd_with_features import put, write
from .shell import rows_of, run, table


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Path:
    return put(tmp_path_factory.mktemp("crowd") / "c")


@pytest.fixture
def model(crowd, tmp_path) -> Path:
    done = run(
        "train",
        crowd,
        "-f",
        crowd / "features.npz",
        "-m",
        "two-stage",
        "--epochs",
        1,
        "--out",
        tmp_path / "m",
    )
    assert done.exit_code == 0, done.output
    return tmp_path / "m"


def test_without_out_the_first_are_shown(crowd, model):
    shown = run("predict", model, "-f", crowd / "features.npz")
    assert "60 tasks" in shown.output
    assert "t4" in shown.output
    assert "--out predictions.csv" in shown.output


def test_features_of_another_width_are_told(model, tmp_path):
    np.savez(tmp_path / "wide.npz", X=np.ones((2, 5)), ids=np.array(["a", "b"]))
    told = run("predict", model, "-f", tmp_path / "wide.npz", "--out", tmp_path / "p.csv")
    assert told.exit_code == 1
    assert "has 5 features a task, where the model was trained on 3 features a task" in told.stderr
    assert not (tmp_path / "p.csv").exists()


def test_columns_are_found_by_name_and_a_missing_one_is_named(crowd, tmp_path):
    rows = [(f"t{i}", i, -i, 7) for i in range(40)]
    write(tmp_path / "f.csv", ("task", "a", "b", "unused"), rows)
    done = run("train", crowd, "-f", tmp_path / "f.csv", "--feature-columns", "a,b", "-m", "two-stage",
               "--epochs", 1, "--out", tmp_path / "m")  # fmt: skip
    assert done.exit_code == 0, done.output
    write(tmp_path / "g.csv", ("b", "task", "a"), [(1, "x", 2)])
    assert json.loads(run("predict", tmp_path / "m", "-f", tmp_path / "g.csv", "--json").stdout)["tasks"] == 1
    write(tmp_path / "g.csv", ("task", "a"), [("x", 2)])
    assert "no column 'b'" in run("predict", tmp_path / "m", "-f", tmp_path / "g.csv").stderr


def test_a_class_named_as_another_column(crowd, tmp_path):
    rows = [(f"t{i}", who, ["task", "label"][i % 2]) for i in range(40) for who in "ab"]
    write(tmp_path / "l.csv", ("task", "annotator", "label"), rows)
    run("train", tmp_path / "l.csv", "-f", crowd / "features.npz", "-m", "two-stage", "--epochs", 1,
        "--out", tmp_path / "m")  # fmt: skip
    assert (
        run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--out", tmp_path / "p.csv").exit_code
        == 0
    )
    assert list(rows_of(tmp_path / "p.csv")[0]) == ["task", "label", "confidence", "p(label)", "p(task)"]


def test_what_is_no_model_is_told(crowd, model, tmp_path):
    features = ("-f", crowd / "features.npz")
    assert "no such folder" in run("predict", tmp_path / "none", *features).stderr
    assert "has no network" not in run("predict", model, *features).stderr
    run("aggregate", table(tmp_path / "v.csv"), "--save", tmp_path / "result")
    assert "has no network" in run("predict", tmp_path / "result", *features).stderr


@pytest.mark.parametrize("part", ["manifest.json", "meta", "arrays", "texts"])
@pytest.mark.parametrize("garble", [b"", b"{}", b"\0" * 40])
@pytest.mark.slow
def test_a_garbled_model_is_one_line(crowd, model, tmp_path, part, garble):
    shutil.copytree(model, tmp_path / "copy")
    file = next(path for path in (tmp_path / "copy").iterdir() if path.name.startswith(part))
    file.write_bytes(garble)
    told = run("predict", tmp_path / "copy", "-f", crowd / "features.npz")
    assert told.exit_code == 1
    assert told.stderr.startswith("error: ")
    assert str(tmp_path / "copy") in told.stderr


def test_a_model_that_python_saved(crowd, tmp_path):
    X, labels = np.eye(4), mh.Annotations.from_matrix([[0, 1], [1, 1], [0, 0], [1, 0]])
    mh.CrowdClassifier("linear", epochs=1).fit(X, labels).save(tmp_path / "m")
    np.savez(tmp_path / "f.npz", X=X, ids=np.array(["a", "b", "c", "d"]))
    done = run("predict", tmp_path / "m", "-f", tmp_path / "f.npz", "--json")
    assert json.loads(done.stdout)["tasks"] == 4


def test_how_features_are_read_may_be_garbled(crowd, tmp_path):
    X, labels = np.eye(2), mh.Annotations.from_matrix([[0, 1], [1, 1]])
    model = mh.CrowdClassifier("linear", epochs=1).fit(X, labels)
    for how in (
        "{",
        '{"text": ["a"]}',
        '{"text": ["a"], "words": {"tfidf": {"words": [1], "idf": [1]}}}',
        "3",
    ):
        model.feature_reading_ = how
        model.save(tmp_path / "m")
        told = run("predict", tmp_path / "m", "-f", crowd / "features.npz")
        assert told.exit_code == 1
        assert told.stderr.startswith("error: ")
