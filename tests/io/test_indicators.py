"""Sets with a 0 / 1 column a label."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands import Annotations, read, write
from manyhands.errors import ManyhandsError

TEXT = "item,worker,cat,dog,owl,seconds\nt1,ann,1,0,,3\nt1,bob,yes,no,TRUE,4\nt2,ann,0,0,0,5\n"


def put(folder: Path, text: str, name: str = "sets.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_ones_noughts_and_gaps(tmp_path: Path) -> None:
    labels = read(put(tmp_path, TEXT), layout="indicators")
    assert (labels.kind, labels.classes.to_list()) == ("set", ["cat", "dog", "owl"])  # type: ignore[union-attr]
    assert labels.answers.values.tolist() == [[1, 0, -2], [1, 0, 1], [0, 0, 0]]
    assert labels.tasks.to_list() == ["t1", "t2"]
    some = read(put(tmp_path, TEXT), layout="indicators", classes=["owl", "cat"], missing="drop")
    assert some.answers.values.tolist() == [[-2, 1], [1, 1], [0, 0]]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz"])
@pytest.mark.parametrize("layout", ["long", "indicators"])
def test_out_and_in_again(tmp_path: Path, name: str, layout: str) -> None:
    labels = read(put(tmp_path, TEXT), layout="indicators")
    write(labels, tmp_path / name, layout=layout)
    options = {"classes": ["cat", "dog", "owl"], "kind": "set"} if layout == "long" else {}
    assert read(tmp_path / name, layout=layout, **options).equals(labels)  # type: ignore[arg-type]


def test_json_lines_have_lists_and_objects(tmp_path: Path) -> None:
    lines = '{"task":1,"annotator":"a","label":["x","y"]}\n{"task":1,"annotator":"b","label":{"x":true,"y":false}}\n'
    labels = read(put(tmp_path, lines, "sets.jsonl"), kind="set")
    assert labels.answers.values.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task,worker,cat\nt,ann,maybe\n", "label 'maybe' in .*column 'cat', is neither 1 nor 0"),
        ("task,worker,cat\nt,ann,\n", "sets.csv:2.*no label|sets.csv:2.*empty"),
        ("task,worker\nt,ann\n", "no column beside the task and the annotator"),
        ("task,cat\nt,1\n", "no column for the annotator"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ManyhandsError, match=said):
        read(put(tmp_path, text), layout="indicators")


def test_only_sets(tmp_path: Path) -> None:
    with pytest.raises(ManyhandsError, match="not of kind='class'"):
        read(put(tmp_path, TEXT), layout="indicators", kind="class")
    with pytest.raises(ManyhandsError, match="for sets, not for kind='class'"):
        write(Annotations.from_matrix([[0, 1]]), tmp_path / "x.csv", layout="indicators")
    with pytest.raises(ManyhandsError, match="no column 'fox'"):
        read(put(tmp_path, TEXT), layout="indicators", classes=["fox"])
