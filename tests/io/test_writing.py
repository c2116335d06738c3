from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.errors import FileError, ParameterError
from manyhands.io import read, read_frame, write, write_frame

FORMATS = ["v.csv", "v.tsv", "v.csv.gz", "v.jsonl", "v.jsonl.gz", "v.parquet"]
WORDS = st.text(st.sampled_from('ab,;"|[] \n\té{}:'), min_size=1, max_size=4).map(lambda s: s.strip() or "c")
UNIT = st.integers(0, 4).map(lambda n: n / 4)


@st.composite
def crowds(draw: st.DrawFn, kind: str) -> Annotations:
    """Answers in the order of their tasks, each class used, nothing silent: what a file can hold."""
    classes = sorted(draw(st.lists(WORDS, min_size=2, max_size=3, unique=True)))
    label = {
        "class": st.sampled_from(classes),
        "number": st.floats(allow_nan=False, allow_infinity=False),
        "set": st.sets(st.sampled_from(classes)),
        "tags": st.lists(st.sampled_from(classes), min_size=2, max_size=2),
        "soft": UNIT.map(lambda p: {classes[0]: p, classes[1]: 1 - p} | dict.fromkeys(classes[2:], 0.0)),
    }[kind]
    tasks = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    answers = {task: {who: draw(label) for who in ("ann", "bob")} for task in tasks}
    options = {} if kind == "number" else {"classes": classes}
    return Annotations.from_dict(answers, kind=kind, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["class", "number", "set", "tags", "soft"])
@pytest.mark.slow
def test_labels_come_back_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, kind: str, name: str
) -> None:
    @given(crowds(kind))
    @settings(max_examples=12)
    def comes_back(labels: Annotations) -> None:
        path = tmp_path_factory.mktemp("w") / name
        write(labels, path)
        classes = None if labels.classes is None else labels.classes.to_list()
        assert read(path, kind=kind, classes=classes).equals(labels)

    comes_back()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["class", "number", "set", "tags", "soft"])
@pytest.mark.slow
def test_abstentions_truths_and_times_come_back(tmp_path: Path, kind: str, name: str) -> None:
    said = {"class": "x", "number": 1.5, "set": {"x"}, "tags": ["x", "y"], "soft": {"x": 0.3, "y": 0.7}}[kind]
    true = {"class": "y", "number": 2.5, "set": ["y"], "tags": ["y", "y"], "soft": "y"}[kind]
    frame = pl.DataFrame({"task": ["a", "a", "b"], "annotator": ["1", "2", "1"], "seconds": [1.0, 2.0, 3.5]})
    labels = Annotations.from_frame(
        frame.with_columns(pl.Series("label", [said, None, said], dtype=pl.Object)), kind=kind, missing="abstain",
        truth={"b": true}, classes=None if kind == "number" else ["x", "y"],
    )  # fmt: skip
    path = tmp_path / name
    write(labels, path)
    classes = None if kind == "number" else ["x", "y"]
    again = read(path, kind=kind, classes=classes, missing="abstain", truth="truth")
    assert again.truths() == labels.truths() == [None, true]
    assert again.equals(labels)


def test_what_the_files_look_like(tmp_path: Path) -> None:
    sets = Annotations.from_dict({"t": {"a": {"x", "y"}, "b": set()}}, kind="set")
    soft = Annotations.from_dict({"t": {"a": {"x": 0.3, "y": 0.7}}})
    tags = Annotations.from_dict({"t": {"a": ["O", "B"]}})
    expected = [
        (sets, "v.csv", "t,a,x|y\nt,b,|\n"),
        (soft, "v.csv", 't,a,"{""x"":0.3,""y"":0.7}"\n'),
        (tags, "v.tsv", "t\ta\tO B\n"),
        (tags, "v.jsonl", '{"task":"t","annotator":"a","label":["O","B"]}\n'),
        (soft, "v.jsonl", '{"task":"t","annotator":"a","label":{"x":0.3,"y":0.7}}\n'),
    ]
    for labels, name, content in expected:
        write(labels, tmp_path / name)
        text = (tmp_path / name).read_text()
        assert text == content if name.endswith("jsonl") else text.split("\n", 1)[1] == content


def test_a_separator_that_a_label_holds(tmp_path: Path) -> None:
    labels = Annotations.from_dict({"t": {"a": {"x|y", "z"}}}, kind="set")
    write(labels, tmp_path / "v.csv")
    assert read(tmp_path / "v.csv", kind="set").equals(labels)
    write(labels, tmp_path / "v.csv", separator=";")
    assert read(tmp_path / "v.csv", kind="set", separator=";").equals(labels)
    with pytest.raises(ParameterError, match="choose another"):
        write(labels, tmp_path / "v.csv", separator="|")
    assert read(tmp_path / "v.csv", kind="set", separator=";").equals(labels)  # as it was


def test_zero_rows(tmp_path: Path) -> None:
    labels = Annotations.from_dict({})
    for name in ("v.csv", "v.parquet"):
        write(labels, tmp_path / name)
        assert read(tmp_path / name).n_answers == 0


def test_frames_of_every_library_and_every_type(tmp_path: Path) -> None:
    import pandas as pd

    write_frame(pd.DataFrame({"task": ["a"], "n": [1]}), tmp_path / "f.csv")
    assert (tmp_path / "f.csv").read_text() == "task,n\na,1\n"
    frame = pl.DataFrame({"n": [1, None], "x": [0.1, None], "l": [["a"], []], "s": [{"p": 1}, {"p": None}]})
    write_frame(frame, tmp_path / "f.jsonl")
    assert [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()] == frame.rows(
        named=True
    )
    write_frame(frame, tmp_path / "f.parquet")
    assert read_frame(tmp_path / "f.parquet").equals(frame)
    write_frame(frame, tmp_path / "f.csv")
    assert read_frame(tmp_path / "f.csv").row(0) == ("1", "0.1", '["a"]', '{"p":1}')


def test_numbers_keep_every_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=200) * 10.0 ** np.arange(-100, 100)
    for name in FORMATS:
        write_frame(pl.DataFrame({"x": values}), tmp_path / name)
        found = read_frame(tmp_path / name)["x"].cast(pl.Float64)
        assert (found.to_numpy() == values).all()


def test_json_lines_have_no_nan(tmp_path: Path) -> None:
    frames = (
        pl.DataFrame({"x": [float("nan"), float("inf")]}),
        pl.DataFrame({"x": [float("nan"), 1.0], "l": [[1], []]}),
    )
    for frame in frames:
        write_frame(frame, tmp_path / "f.jsonl")
        for line in (tmp_path / "f.jsonl").read_text().splitlines():
            json.loads(line, parse_constant=lambda word: pytest.fail(word))


def test_equal_content_gives_equal_bytes_in_gzip(tmp_path: Path) -> None:
    frame = pl.DataFrame({"task": ["a"]})
    write_frame(frame, tmp_path / "one.csv.gz")
    write_frame(frame, tmp_path / "two.csv.gz")
    assert (tmp_path / "one.csv.gz").read_bytes()[4:8] == bytes(4)  # no time of writing
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b"task\na\n"


@pytest.mark.parametrize("name", ["v", "v.xlsx", "v.parquet.gz", "v.gz"])
def test_names_without_a_format(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="no suffix that can be written"):
        write_frame(pl.DataFrame({"x": [1]}), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_failed_writes_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="make it first"):
        write_frame(pl.DataFrame({"x": [1]}), tmp_path / "lost" / "v.csv")
    with pytest.raises(ParameterError, match="goes with csv"):
        write_frame(pl.DataFrame({"x": [1]}), tmp_path / "v.jsonl", delimiter=";")
    assert os.listdir(tmp_path) == []
