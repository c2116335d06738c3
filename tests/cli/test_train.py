from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import manyhands as mh
from manyhands.catalog import CLASSIFIERS
from manyhands.cli.progress import Work

from .crowd_with_features import features_of, put, write
from .shell import rows_of, run

QUICK = ("--method", "two-stage", "--network", "linear", "--epochs", 3)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Path:
    return put(tmp_path_factory.mktemp("crowd") / "c")


@pytest.fixture(scope="module")
def model(crowd, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("model") / "m"
    done = train(crowd, out, "--epochs", 60, "--set", "learning_rate=0.05", "--train-split", "train")
    assert done.exit_code == 0, done.output
    return out


def train(crowd: Path, out: Path, *more: object, features: str = "features.npz"):
    return run("train", crowd, "--features", crowd / features, "--out", out, *QUICK, *more)


def test_predictions_are_written_by_task_and_as_right_as_scikit_learns(crowd, model, tmp_path):
    done = run("predict", model, "--features", crowd / "features.npz", "--out", tmp_path / "p.csv", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    rows = rows_of(tmp_path / "p.csv")
    truth = {row["task"]: row["label"] for row in rows_of(crowd / "truth.csv")}
    assert [row["task"] for row in rows] == [row["task"] for row in rows_of(crowd / "tasks.csv")]
    X, y = np.array(list(features_of(crowd).values())), [truth[row["task"]] for row in rows]
    other = LogisticRegression().fit(X[:40], y[:40]).predict(X[40:])
    ours = [row["label"] for row in rows[40:]]
    assert np.mean(np.array(ours) == y[40:]) >= np.mean(other == y[40:]) - 0.051
    for row in rows:
        chances = {name: float(row[name]) for name in ("cat", "dog")}
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        assert row["label"] == max(chances, key=chances.__getitem__)
        assert float(row["confidence"]) == max(chances.values())


def test_the_model_is_that_of_the_library(crowd, model):
    opened = mh.load(model)
    X = np.array(list(features_of(crowd).values()))[:40]
    labels = mh.read(crowd / "annotations.csv").align([f"t{i}" for i in range(40)])
    again = CLASSIFIERS["two-stage"].make(network="linear", epochs=60, learning_rate=0.05).fit(X, labels)
    np.testing.assert_array_equal(opened.predict_proba(X), again.predict_proba(X))
    assert sorted(path.name for path in model.iterdir() if path.name == "checkpoint") == []


@pytest.mark.slow
def test_rows_are_matched_by_id_in_whatever_order_they_stand(crowd, tmp_path):
    rows = [(name, *map(float, x)) for name, x in features_of(crowd).items()]
    write(tmp_path / "straight.csv", ("task", "a", "b", "c"), rows)
    mixed = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    write(tmp_path / "mixed.csv", ("c", "id", "a", "b"), [(c, task, a, b) for task, a, b, c in mixed])
    assert train(crowd, tmp_path / "m", features=tmp_path / "straight.csv").exit_code == 0
    for name in ("straight", "mixed"):
        done = run(
            "predict", tmp_path / "m", "-f", tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}.out.csv"
        )
        assert done.exit_code == 0, done.output
    straight = {row["task"]: row for row in rows_of(tmp_path / "straight.out.csv")}
    assert straight == {row["task"]: row for row in rows_of(tmp_path / "mixed.out.csv")}


def test_scores_are_those_one_counts(crowd, model, tmp_path):
    shown = train(crowd, tmp_path / "m", "--train-split", "train", "--truth", crowd / "truth.csv", "--json")
    data = json.loads(shown.stdout)
    assert (
        run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--out", tmp_path / "p.csv").exit_code
        == 0
    )
    truth = {row["task"]: row["label"] for row in rows_of(crowd / "truth.csv")}
    right = [row["label"] == truth[row["task"]] for row in rows_of(tmp_path / "p.csv")]
    assert data["scores"]["train"]["accuracy"] == pytest.approx(np.mean(right[:40]))
    assert data["scores"]["test"]["accuracy"] == pytest.approx(np.mean(right[40:]))
    assert data["scores"]["network and labels"]["tasks"] == 40
    assert (data["tasks"], data["answers"], data["epochs"], data["features"]) == (40, 120, 3, [3])
    assert len(data["notes"]) == 0


@pytest.mark.slow
def test_truth_is_never_used_and_gold_is(crowd, tmp_path):
    wrong = [(f"t{i}", "cat") for i in range(30)]
    write(tmp_path / "wrong.csv", ("task", "label"), wrong)
    for name, more in (("plain", ()), ("truth", ("--truth",)), ("gold", ("--gold",))):
        fast = ("--epochs", 20, "--set", "learning_rate=0.05")
        done = train(crowd, tmp_path / name, *fast, *more, *([tmp_path / "wrong.csv"] if more else []))
        assert done.exit_code == 0, done.output
    X = np.array(list(features_of(crowd).values()))
    plain, truth, gold = (mh.load(tmp_path / name).predict_proba(X) for name in ("plain", "truth", "gold"))
    np.testing.assert_array_equal(plain, truth)
    cat = mh.load(tmp_path / "gold").classes_.tolist().index("cat")
    assert gold[:30, cat].mean() > plain[:30, cat].mean() + 0.2


def test_tasks_without_labels_are_used_and_said(crowd, tmp_path):
    data = json.loads(train(crowd, tmp_path / "m", "--json").stdout)
    assert (data["tasks"], data["labelled_tasks"]) == (60, 40)
    assert data["notes"] == ["20 tasks have features but no labels: used as unlabelled"]


def test_labelled_tasks_without_features_are_named_or_dropped(crowd, tmp_path):
    rows = [(name, *map(float, x)) for name, x in features_of(crowd).items() if name not in ("t3", "t8")]
    write(tmp_path / "f.csv", ("task", "a", "b", "c"), rows)
    told = train(crowd, tmp_path / "m", features=tmp_path / "f.csv")
    assert told.exit_code == 1
    assert "2 labelled tasks have no features" in told.stderr
    assert "'t3'" in told.stderr
    assert "'t8'" in told.stderr
    assert "--drop-unmatched" in told.stderr
    assert not (tmp_path / "m").exists()
    data = json.loads(
        train(crowd, tmp_path / "m", "--drop-unmatched", "--json", features=tmp_path / "f.csv").stdout
    )
    assert (data["labelled_tasks"], data["answers"]) == (38, 114)
    assert "left out" in data["notes"][0]


def test_ids_that_are_integers_in_one_file_and_text_in_the_other(tmp_path):
    write(tmp_path / "l.csv", ("task", "annotator", "label"), [(i, "a", "xy"[i % 2]) for i in range(8)])
    X = np.arange(16, dtype=float).reshape(8, 2)
    np.savez(tmp_path / "f.npz", X=X, ids=np.arange(8))
    done = run(
        "train", tmp_path / "l.csv", "-f", tmp_path / "f.npz", "--out", tmp_path / "m", *QUICK, "--json"
    )
    assert json.loads(done.stdout)["labelled_tasks"] == 8
    np.savez(tmp_path / "f.npz", X=X, ids=np.arange(100, 108))
    done = run("train", tmp_path / "l.csv", "-f", tmp_path / "f.npz", "--out", tmp_path / "m2", *QUICK)
    assert "are the ids the same?" in done.stderr


def test_texts_go_with_the_model_as_words(crowd, tmp_path):
    truth = rows_of(crowd / "truth.csv")
    words = {"cat": "purring soft whiskers", "dog": "barking loud tail"}
    texts = [(row["task"], words[row["label"]], f"number {i}") for i, row in enumerate(truth)]
    write(tmp_path / "texts.csv", ("task", "title", "body"), texts)
    more = ("--text", "title,body", "--epochs", 40, "--set", "learning_rate=0.1")
    done = train(crowd, tmp_path / "m", *more, features=tmp_path / "texts.csv")
    assert done.exit_code == 0, done.output
    write(
        tmp_path / "new.csv",
        ("task", "title", "body"),
        [("n1", "soft, purring", ""), ("n2", "", "Barking tail")],
    )
    done = run("predict", tmp_path / "m", "-f", tmp_path / "new.csv", "--json")
    assert [row["label"] for row in json.loads(done.stdout)["predictions"]] == ["cat", "dog"]
    told = run("predict", tmp_path / "m", "-f", crowd / "features.npz")
    assert told.exit_code == 1
    assert "'title', 'body'" in told.stderr


@pytest.mark.parametrize("method", sorted(n for n, m in CLASSIFIERS.items() if "class" in m.kinds))
@pytest.mark.slow
def test_every_method_with_features_by_one_command(crowd, tmp_path, method):
    params = CLASSIFIERS[method].make().get_params()
    short = {"rounds": 1, "steps": 2, "fine_tuning": 2, "warm_up": 1, "majority_epochs": 1}
    sets = [word for k, v in short.items() if k in params for word in ("--set", f"{k}={v}")]
    epochs = ["--epochs", 2] if "epochs" in params else []
    done = run("train", crowd, "-f", crowd / "features.npz", "-m", method, "--out", tmp_path / "m", *epochs, *sets,
               "--truth", crowd / "truth.csv", "--train-split", "train", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert (data["method"], data["scores"]["test"]["tasks"]) == (method, 20)
    assert run("predict", tmp_path / "m", "-f", crowd / "features.npz", "--quiet").exit_code == 0


def test_held_out_labels_are_watched(crowd, tmp_path):
    data = json.loads(train(crowd, tmp_path / "m", "--validation", 0.2, "--json").stdout)
    assert data["held_out_log_likelihood"] < 0


USAGE = [
    (("--method", "glad"), "aggregate LABELS --method glad"),
    (("--method", "conall"), "there is no method 'conall'"),
    (("--network", "big"), "linear, mlp"),
    (("--validation", "2"), "between 0 and 1"),
    (("--train-split", "tain"), "there are 'train', 'test'"),
    (("--encoder", "mini"), "--text"),
    (("--set", "epoch=3"), "did you mean 'epochs'"),
    (("--set", "callbacks=3"), "no parameter 'callbacks'"),
]


@pytest.mark.parametrize(("more", "said"), USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_wrong_usage_is_told_before_anything_is_made(crowd, tmp_path, more, said):
    told = train(crowd, tmp_path / "m", *more)
    assert told.exit_code == 2
    assert said in told.stderr
    assert not (tmp_path / "m").exists()


def test_aggregate_sends_to_train(crowd):
    told = run("aggregate", crowd, "--method", "two-stage")
    assert told.exit_code == 2
    assert "manyhands train LABELS --features F --method two-stage" in told.stderr


@pytest.mark.parametrize("first", ["ibcc", "dawid-skene-map"])
def test_the_first_of_two_stages_by_name(crowd, tmp_path, first):
    done = train(crowd, tmp_path / "m", "--method", f"two-stage:{first}")
    assert done.exit_code == 0, done.output
    assert mh.load(tmp_path / "m").aggregator == first


def test_an_unknown_first_stage_is_told(crowd, tmp_path):
    told = run("train", crowd, "-f", crowd / "features.npz", "-o", tmp_path / "m", "-m", "two-stage:nobody")
    assert told.exit_code == 2
    assert "two-stage:nobody" in told.stderr


def test_a_folder_with_annotations_is_read_by_other_verbs_too(crowd):
    assert json.loads(run("aggregate", crowd, "--json").stdout)["answers"] == 120


def test_a_network_that_does_not_go_with_the_features_is_told(crowd, tmp_path):
    told = train(crowd, tmp_path / "m", "--network", "cnn")
    assert told.exit_code == 1
    assert "--network linear, mlp" in told.stderr


SETS = ["batch_size=0", "batch_size=x", "learning_rate=nan", "input_dropout=2", "optimizer=3", "device=foo",
        "aggregator=3"]  # fmt: skip


@pytest.mark.parametrize("given", SETS)
def test_odd_parameters_are_one_line(crowd, tmp_path, given):
    told = train(crowd, tmp_path / "m", "--set", given)
    assert told.exit_code in (1, 2)
    assert given.split("=")[0] in told.stderr
    assert not (tmp_path / "m").exists()


def test_a_split_without_labels_is_told(crowd, tmp_path):
    told = train(crowd, tmp_path / "m", "--train-split", "test")
    assert told.exit_code == 1
    assert "not one label" in told.stderr


def test_folders_that_hold_other_things_are_left_alone(crowd, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert "other things" in train(crowd, tmp_path).stderr
    assert "is a file" in train(crowd, tmp_path / "notes.txt").stderr
    assert "overwrite the input" in train(crowd, crowd / "model").stderr


def test_a_model_is_replaced_and_a_failed_run_leaves_the_old_one(crowd, tmp_path):
    assert train(crowd, tmp_path / "m").exit_code == 0
    before = mh.load(tmp_path / "m").predict_proba(np.eye(3))
    assert train(crowd, tmp_path / "m", "--set", "learning_rate=-1").exit_code == 1
    np.testing.assert_array_equal(mh.load(tmp_path / "m").predict_proba(np.eye(3)), before)
    assert train(crowd, tmp_path / "m", "--seed", 5).exit_code == 0
    assert (mh.load(tmp_path / "m").predict_proba(np.eye(3)) != before).any()


def test_interrupting_says_how_to_go_on(crowd, tmp_path, monkeypatch):
    def interrupted(model, *args):
        assert (tmp_path / "m/checkpoint/manifest.json").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr("manyhands.models.two_stage.TwoStage._keep", interrupted)
    told = train(crowd, tmp_path / "m")
    assert told.exit_code == 130
    assert "--resume" in told.stderr
    monkeypatch.undo()
    data = json.loads(train(crowd, tmp_path / "m", "--resume", "--json").stdout)
    assert data["epochs"] == 3
    assert not (tmp_path / "m/checkpoint").exists()


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_model(crowd, tmp_path):
    args = ["--method", "crowd-classifier", "--epochs", "200", "--seed", "3"]

    def command(out: str, *more: str) -> list[str]:
        given = [
            "train",
            str(crowd),
            "-f",
            str(crowd / "features.npz"),
            "--out",
            str(tmp_path / out),
            *args,
            *more,
        ]
        return [sys.executable, "-m", "manyhands", *given]

    env = os.environ | {"OMP_NUM_THREADS": "1"}
    run_ = subprocess.Popen(command("killed"), env=env, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not (tmp_path / "killed/checkpoint/manifest.json").exists() and time.monotonic() < end:
        time.sleep(0.01)
    run_.send_signal(signal.SIGKILL)
    run_.wait()
    assert not (tmp_path / "killed/manifest.json").exists()
    other = subprocess.run(
        command("killed", "--resume", "--network", "linear"), env=env, capture_output=True, text=True
    )
    assert other.returncode == 1
    assert "of another run" in other.stderr
    went_on = subprocess.run(
        command("killed", "--resume", "--json"), env=env, capture_output=True, check=True
    )
    data = json.loads(went_on.stdout)
    assert 0 < data["resumed_from"] < 200
    whole = subprocess.run(command("whole", "--json"), env=env, capture_output=True, check=True)
    assert json.loads(whole.stdout)["resumed_from"] is None
    first, second = (mh.load(tmp_path / name).network_.state_dict() for name in ("killed", "whole"))
    assert all((first[name] == second[name]).all() for name in first)
    assert not (tmp_path / "killed/checkpoint").exists()


def test_a_terminal_sees_epochs_and_the_likelihood_of_held_out_labels(crowd, tmp_path, monkeypatch):
    said = []

    class Watched(Work):
        @contextmanager
        def bar(self, text, total):
            yield lambda done, word, total: said.append((text, done, total, word))

    monkeypatch.setattr("manyhands.cli.train.Work", Watched)
    assert train(crowd, tmp_path / "m", "--validation", 0.2).exit_code == 0
    assert [entry[:3] for entry in said] == [("two-stage", n, 3) for n in (1, 2, 3)]
    assert all(re.fullmatch(r"loss \d\.\d+, held-out log-likelihood -\d\.\d+ a label", e[3]) for e in said)
