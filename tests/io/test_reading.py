from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from manyhands import Annotations
from manyhands.errors import (
    FileError,
    FormatError,
    LabelError,
    ManyhandsError,
    ParameterError,
    RepeatedAnswerError,
    UnknownClassError,
)
from manyhands.io import read, read_frame, read_truth


def put(folder: Path, content: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def rows(labels: Annotations) -> list[tuple[object, ...]]:
    return sorted(labels.to_frame().rows(), key=repr)


# --- columns and names ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "columns", [{"task": "what", "annotator": "by", "label": "said"}, "task=what, annotator=by,label=said"]
)
def test_columns_are_named_by_a_mapping_or_a_text(tmp_path: Path, columns: object) -> None:
    path = put(tmp_path, "said,what,by\nx,1,ann\ny,2,bob\n")
    assert rows(read(path, columns=columns)) == [("1", "ann", "x"), ("2", "bob", "y")]  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", ["task", "tusk=a", {"task": 3}, "=x"])
def test_columns_that_say_nothing(tmp_path: Path, columns: object) -> None:
    with pytest.raises(ParameterError, match="columns="):
        read(put(tmp_path, "task,annotator,label\n"), columns=columns)  # type: ignore[arg-type]


def test_ids_of_text_formats_are_text_and_come_in_order(tmp_path: Path) -> None:
    labels = read(put(tmp_path, "item,worker,answer\n007,2,1\n7,1,0\n007,1,1\n"))
    assert labels.tasks.to_list() == ["007", "7"]
    assert labels.annotators.to_list() == ["2", "1"]
    assert labels.classes is not None
    assert labels.classes.to_list() == ["0", "1"]


def test_the_quick_way_and_the_frame_agree(tmp_path: Path) -> None:
    """Ids are coded on the way in; the table must be the one that the plain way gives."""
    rng = random.Random(0)
    lines = [
        f"{rng.choice('abcdefgh')} {rng.randrange(50)},w{rng.randrange(40)},{rng.choice('xyz?')},{rng.random()}"
        for _ in range(3000)
    ]
    path = put(tmp_path, "task,annotator,label,seconds\n" + "\n".join(lines))
    frame = read_frame(path).with_columns(pl.col("seconds").cast(pl.Float64))
    for options in (
        {"repeats": "first"}, {"repeats": "last"}, {"repeats": "all"}, {"repeats": "first", "abstain": "?"},
        {"repeats": "last", "classes": ["z", "y", "x", "?", "unused"]}, {"repeats": "all", "kind": "ordinal", "classes": list("xyz?")},
    ):  # fmt: skip
        assert read(path, **options).equals(Annotations.from_frame(frame, **options))  # type: ignore[arg-type]
    with pytest.raises(RepeatedAnswerError) as expected:
        Annotations.from_frame(frame)
    with pytest.raises(RepeatedAnswerError) as found:
        read(path)
    assert found.value.row == expected.value.row
    assert str(found.value).startswith(f"{path}:{expected.value.row + 2}: ")  # type: ignore[operator]


def test_names_that_share_a_hash_stay_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda column: column.str.len_chars().cast(pl.UInt64))
    labels = read(put(tmp_path, "task,annotator,label\na,1,x\nb,1,x\nc,2,y\n"), repeats="all")
    assert labels.to_frame().rows() == [("a", "1", "x"), ("b", "1", "x"), ("c", "2", "y")]


def test_empty_labels_on_the_quick_way(tmp_path: Path) -> None:
    path = put(tmp_path, "task,annotator,label\na,1,x\na,2,\nb,1,y\n")
    assert rows(read(path, missing="drop")) == [("a", "1", "x"), ("b", "1", "y")]
    assert rows(read(path, missing="abstain")) == [("a", "1", "x"), ("a", "2", None), ("b", "1", "y")]


def test_times_and_costs_stand_alongside_as_numbers(tmp_path: Path) -> None:
    labels = read(put(tmp_path, "task,annotator,label,seconds,note\na,1,x,2.5,n\na,2,y,,m\n"))
    assert list(labels.columns) == ["seconds"]
    assert labels.columns["seconds"][0] == 2.5


def test_declared_names_are_text_too(tmp_path: Path) -> None:
    path = put(tmp_path, "task,annotator,label\n1,0,1\n")
    labels = read(path, tasks=range(3), annotators=[0, 1], classes=[0, 1, 2])
    assert (labels.n_tasks, labels.n_annotators, labels.n_classes) == (3, 2, 3)
    with pytest.raises(LabelError, match=r"votes\.csv:2: .*'1' in line 2 is not among"):
        read(path, tasks=["2"])


def test_abstentions_are_text_too(tmp_path: Path) -> None:
    path = put(tmp_path, "task,annotator,label\na,1,-1\na,2,0\n")
    assert rows(read(path, abstain=-1)) == [("a", "1", None), ("a", "2", "0")]


# --- kinds ---------------------------------------------------------------------------------------


def test_sets_and_tags_of_one_cell(tmp_path: Path) -> None:
    path = put(tmp_path, "task,annotator,label\na,1,x|y\na,2,|\nb,1, z \n")
    assert rows(read(path, kind="set")) == [("a", "1", ["x", "y"]), ("a", "2", []), ("b", "1", ["z"])]
    path = put(tmp_path, "task,annotator,label\na,1,O B O\na,2,B B O\n")
    assert rows(read(path, kind="tags")) == [("a", "1", ["O", "B", "O"]), ("a", "2", ["B", "B", "O"])]
    path = put(tmp_path, "task,annotator,label\na,1,x;y\n")
    assert rows(read(path, kind="set", separator=";")) == [("a", "1", ["x", "y"])]
    assert rows(read(path, kind="set", separator="|")) == [("a", "1", ["x;y"])]
    with pytest.raises(LabelError, match=r"votes\.csv:2: label 'x;y' in line 2 looks like several"):
        read(path, kind="set")
    with pytest.raises(ParameterError, match="say which of them it is"):
        read(path, separator=";")


def test_lists_and_objects_in_json_lines(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        '{"task":"s","annotator":1,"labels":["O","B"]}\n\n{"task":"s","annotator":2,"labels":["O","O"]}\n',
        "v.jsonl",
    )
    assert read(path).kind == "tags"
    assert read(path).rows.label.tolist() == [1, 0, 1, 1]
    assert rows(read(path, kind="set"))[0] == ("s", 1, ["B", "O"])
    path = put(
        tmp_path,
        '{"task":"s","annotator":1,"label":{"n":0.25,"y":0.75}}\n{"task":"s","annotator":2,"label":{"y":1}}\n',
        "v.jsonl",
    )
    assert read(path).kind == "soft"
    assert read(path).answers.values.tolist() == [[0.25, 0.75], [0, 1]]


def test_distributions_in_csv_are_json(tmp_path: Path) -> None:
    path = put(tmp_path, 'task,annotator,label\ns,1,"{""n"": 0.25, ""y"": 0.75}"\ns,2,no\n')
    with pytest.raises(LabelError, match=r"votes\.csv:3: label 'no' in line 3 is not a JSON object"):
        read(path, kind="soft")
    path = put(tmp_path, 'task,annotator,label\ns,1,"{""n"": ""x""}"\n')
    with pytest.raises(LabelError, match=r"votes\.csv:2: .* gives 'x' where a probability should be"):
        read(path, kind="soft")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"task":2,\n', "the row is not JSON"),
        ('{"task":2,"anno', "the last row is cut off"),
        ('{"task":2,"annotator":"b"}\n', "has no field 'label', which others have"),
        ("[1, 2]\n", r"the row is \[1, 2\], not an object"),
        ('{"task":2,"annotator":"b","label":null}\n', "has an empty label"),
        ('{"task":"2","annotator":"b","label":"x"}\n', "task ids are of several types"),
        ('{"task":2,"annotator":"b","label":"\\ud800"}\n', "half of a surrogate pair"),
        ("[" * 100_000 + "\n", "nested too deeply"),
        ('{"task":' + "1" * 5000 + "}\n", "not JSON that can be read"),
    ],
)
def test_faults_of_json_lines_are_told_with_their_line(tmp_path: Path, line: str, says: str) -> None:
    path = put(tmp_path, '{"task":1,"annotator":"a","label":"x"}\n\n' + line, "v.jsonl")
    with pytest.raises(ManyhandsError, match=says) as found:
        read(path)
    assert str(found.value).startswith(f"{path}:3: ")


def test_json_lines_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"one JSON array.*jq"):
        read(put(tmp_path, '[{"task": 1}]', "v.jsonl"))
    for content in ("", "\n\n"):
        with pytest.raises(FormatError, match="is empty"):
            read(put(tmp_path, content, "v.jsonl"))
    with pytest.raises(ParameterError, match="goes with csv"):
        read(put(tmp_path, '{"task":1}', "v.jsonl"), delimiter=";")


# --- wide ------------------------------------------------------------------------------------------


def test_wide_tables_equal_the_matrix(tmp_path: Path) -> None:
    path = put(tmp_path, "id,ann,bob,eve\na,1,,0\nb,-1,NaN,1\nc,,,\nd,0,2,NA\n")
    labels = read(path, layout="wide")
    matrix = [["1", None, "0"], [None, None, "1"], [None] * 3, ["0", "2", None]]
    expected = Annotations.from_matrix(matrix, tasks=["a", "b", "c", "d"], annotators=["ann", "bob", "eve"])
    assert labels.tasks.to_list() == expected.tasks.to_list()
    assert labels.annotators.to_list() == expected.annotators.to_list()
    assert rows(labels) == rows(expected)


def test_wide_tables_of_numbers_keep_minus_one(tmp_path: Path) -> None:
    labels = read(put(tmp_path, "id,ann,bob\na,-1,2.5\nb,nan,\n"), layout="wide", kind="number")
    assert rows(labels) == [("a", "ann", -1.0), ("a", "bob", 2.5)]
    assert labels.n_tasks == 2


def test_wide_parquet_and_json(tmp_path: Path) -> None:
    pl.DataFrame(
        {"task": [5, 6], "ann": [1, None], "bob": [float("nan"), 2.0], "eve": [-1, -1]}
    ).write_parquet(tmp_path / "w.parquet")
    labels = read(tmp_path / "w.parquet", layout="wide")
    assert rows(labels) == [(5, "ann", 1), (6, "bob", 2)]
    assert labels.annotators.to_list() == ["ann", "bob", "eve"]
    path = put(tmp_path, '{"task":"s","ann":["O"],"bob":["B"]}\n{"task":"t","bob":["O","O"]}\n', "w.jsonl")
    assert rows(read(path, layout="wide")) == [
        ("s", "ann", ["O"]),
        ("s", "bob", ["B"]),
        ("t", "bob", ["O", "O"]),
    ]


def test_faults_of_wide_tables(tmp_path: Path) -> None:
    with pytest.raises(
        RepeatedAnswerError,
        match=r"votes\.csv:3: annotator 'ann' answered task 'a' in line 2 and again in line 3",
    ):
        read(put(tmp_path, "id,ann\na,1\na,2\n"), layout="wide")
    with pytest.raises(LabelError, match=r"votes\.csv:3: line 3 has no task"):
        read(put(tmp_path, "id,ann\na,1\n,2\n"), layout="wide")
    with pytest.raises(FormatError, match="no column beside 'id'"):
        read(put(tmp_path, "id\na\n"), layout="wide")
    with pytest.raises(LabelError, match=r"votes\.csv:3: label 'x' in line 3 is not a number"):
        read(put(tmp_path, "id,ann,bob\na,1,2\nb,3,x\n"), layout="wide", kind="number")
    with pytest.raises(ParameterError, match="has no column 'what'"):
        read(put(tmp_path, "id,ann\na,1\n"), layout="wide", columns="task=what")
    with pytest.raises(ParameterError, match="layout='tall'"):
        read(put(tmp_path, "id,ann\na,1\n"), layout="tall")


# --- truths ----------------------------------------------------------------------------------------

VOTES = "task,annotator,label\n1,ann,x\n1,bob,y\n2,ann,x\n3,bob,y\n"


def test_truths_of_a_file(tmp_path: Path) -> None:
    path = put(tmp_path, VOTES)
    gold = put(tmp_path, "split,task,label\ntrain,2,x\ntrain,1,NA\ntest,9,x\n,3,y\n", "truth.csv")
    assert read_truth(gold) == {"2": "x", "9": "x", "3": "y"}
    assert read(path, truth=gold).truths() == [None, "x", "y"]
    assert read(path, truth=str(gold)).truths() == [None, "x", "y"]
    assert read(path, truth={"1": "y"}).truths() == ["y", None, None]


def test_truths_of_a_column(tmp_path: Path) -> None:
    path = put(
        tmp_path, "task,annotator,label,truth\n1,ann,x,y\n1,bob,y,y\n2,ann,x,\n2,bob,x,x\n3,ann,y,NA\n"
    )
    assert read(path, truth="truth").truths() == ["y", "x", None]
    assert read_truth(path) == {"1": "y", "2": "x"}
    wide = put(tmp_path, "id,ann,gold,bob\na,x,y,y\nb,x,,y\n", "wide.csv")
    labels = read(wide, layout="wide", truth="gold")
    assert labels.annotators.to_list() == ["ann", "bob"]
    assert labels.truths() == ["y", None]


def test_a_truth_that_nobody_voted_for_is_a_class(tmp_path: Path) -> None:
    path = put(tmp_path, VOTES)
    labels = read(path, truth=put(tmp_path, "task,label\n1,a\n", "truth.csv"))
    assert labels.classes is not None
    assert labels.classes.to_list() == ["a", "x", "y"]
    assert labels.truths() == ["a", None, None]
    with pytest.raises(UnknownClassError, match=r"truth\.csv:2: .*'a'"):
        read(path, classes=["x", "y"], truth=tmp_path / "truth.csv")


def test_text_and_integers_meet_in_truths(tmp_path: Path) -> None:
    pl.DataFrame({"task": [1, 2], "annotator": ["a", "a"], "label": [0, 1]}).write_parquet(
        tmp_path / "v.parquet"
    )
    gold = put(tmp_path, "task,label\n2,0\n", "truth.csv")
    assert read(tmp_path / "v.parquet", truth=gold).truths() == [None, 0]
    pl.DataFrame({"task": [1], "label": ["y"]}).write_parquet(tmp_path / "truth.parquet")
    assert read(put(tmp_path, VOTES), truth=tmp_path / "truth.parquet").truths() == ["y", None, None]


def test_truths_of_sets_tags_and_numbers(tmp_path: Path) -> None:
    gold = put(tmp_path, "task,label\na,x|z\n", "truth.csv")
    assert read(put(tmp_path, "task,annotator,label\na,1,x|y\n"), kind="set", truth=gold).truths() == [
        ["x", "z"]
    ]
    gold = put(tmp_path, '{"task":"a","truth":["O","B"]}\n', "truth.jsonl")
    path = put(tmp_path, '{"task":"a","annotator":1,"labels":["O","O"]}\n', "v.jsonl")
    assert read(path, truth=gold).truths() == [["O", "B"]]
    gold = put(tmp_path, "task,label\na,1.5\n", "truth.csv")
    assert read(put(tmp_path, "task,annotator,label\na,1,2\n"), kind="number", truth=gold).truths() == [1.5]
    gold = put(tmp_path, "task,label\nb,1\na,high\n", "truth.csv")
    with pytest.raises(LabelError, match=r"truth\.csv:3: .*'high'"):
        read(tmp_path / "votes.csv", kind="number", truth=gold)


def test_a_label_called_na_is_a_truth_too(tmp_path: Path) -> None:
    path = put(tmp_path, "task,annotator,label\n1,ann,NA\n1,bob,x\n")
    assert read(path, truth=put(tmp_path, "task,label\n1,NA\n", "truth.csv")).truths() == ["NA"]


def test_faults_of_truths(tmp_path: Path) -> None:
    path = put(tmp_path, VOTES)
    with pytest.raises(
        LabelError, match=r"truth\.csv:3: task '1' has the truth 'x' in line 2 and 'y' in line 3"
    ):
        read_truth(put(tmp_path, "task,label\n1,x\n1,y\n", "truth.csv"))
    with pytest.raises(LabelError, match=r"truth\.csv:2: line 2 has a truth but no task"):
        read_truth(put(tmp_path, "task,label\n,x\n", "truth.csv"))
    with pytest.raises(
        LabelError,
        match="none of the 1 truths is of a labelled task: the first is of 'one', where a labelled task is '1'",
    ):
        read(path, truth=put(tmp_path, "task,label\none,x\n", "truth.csv"))
    with pytest.raises(FileError, match=r"neither a column of .* nor a file"):
        read(path, truth="lost.csv")
    with pytest.raises(FormatError, match=r"truth\.csv:1: no column for the task"):
        read_truth(put(tmp_path, "a,b\n1,2\n", "truth.csv"))


# --- folders of parts, parquet -----------------------------------------------------------------------


def test_part_files_are_one_table_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, content in (("part-1.csv", "b,1,y\n"), ("part-0.csv", "a,1,x\n"), ("part-2.csv", "")):
        put(tmp_path, "task,annotator,label\n" + content, name)
    for name in ("_SUCCESS", ".part-0.csv.crc"):
        put(tmp_path, "", name)
    assert read(tmp_path).to_frame().rows() == [("a", "1", "x"), ("b", "1", "y")]
    put(tmp_path, "task,annotator,label\nc,1,x\nc,2,\n", "part-3.csv")
    with pytest.raises(LabelError, match=r"part-3\.csv:3: line 3 "):
        read(tmp_path)
    put(tmp_path, "task,annotator,label\nc,1,x\na,1,y\n", "part-3.csv")
    with pytest.raises(
        RepeatedAnswerError, match=r"part-3\.csv:3: .* in line 2 of part-0\.csv and again in line 3;"
    ):
        read(tmp_path)
    put(tmp_path, "task,worker,label\nc,1,x\n", "part-3.csv")
    with pytest.raises(
        FormatError, match=r"part-3\.csv:1: has the columns 'task', 'worker', 'label', but part-0\.csv has"
    ):
        read(tmp_path)


def test_parts_of_parquet_and_json(tmp_path: Path) -> None:
    for i in range(3):
        pl.DataFrame({"task": [i], "annotator": ["a"], "label": ["x"]}).write_parquet(
            tmp_path / f"part-{i}.parquet"
        )
    assert read(tmp_path).tasks.to_list() == [0, 1, 2]
    pl.DataFrame({"task": ["3"], "annotator": ["a"], "label": ["x"]}).write_parquet(
        tmp_path / "part-3.parquet"
    )
    with pytest.raises(
        FormatError, match=r"part-3\.parquet: column 'task' is String, but in part-0\.parquet it is Int64"
    ):
        read(tmp_path)
    lines = tmp_path / "lines"
    lines.mkdir()
    put(lines, '{"task":1,"annotator":"a","label":"x"}\n', "a.jsonl")
    put(lines, '{"task":2,"annotator":"a","label":"y","seconds":3}\n', "b.jsonl")
    assert read(lines).to_frame().select("task", "label").rows() == [(1, "x"), (2, "y")]
    put(lines, '{"task":2,"annotator":"a"}\n', "c.jsonl")
    with pytest.raises(FormatError, match=r"c\.jsonl:1: no row has the field 'label'"):
        read(lines)


def test_folders_that_are_no_table(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no part files"):
        read(tmp_path)
    put(tmp_path, "task,annotator,label\na,1,x\n", "a.csv")
    put(tmp_path, "{}", "b.jsonl")
    with pytest.raises(FormatError, match=r"several formats, csv \(a\.csv\) and jsonl \(b\.jsonl\)"):
        read(tmp_path)
    put(tmp_path, "hello", "README.md")
    with pytest.raises(FormatError, match=r"README\.md: is not a table"):
        read(tmp_path)
    (tmp_path / "README.md").unlink()
    (tmp_path / "more").mkdir()
    with pytest.raises(FormatError, match="is a folder among part files"):
        read(tmp_path)


def test_parquet_that_is_cut_damaged_or_none(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    pl.DataFrame({"task": list(range(500)), "annotator": ["a"] * 500, "label": ["x"] * 500}).write_parquet(
        path
    )
    content = path.read_bytes()
    assert read(path).n_answers == 500
    path.write_bytes(content[:-10])
    with pytest.raises(FormatError, match=r"v\.parquet: the parquet file is cut off"):
        read(path)
    path.write_bytes(content[:-40] + b"\xff" * 32 + content[-8:])
    with pytest.raises(FormatError, match=r"v\.parquet: the parquet file is damaged"):
        read(path)
    path.write_bytes(b"task,annotator,label\n")
    with pytest.raises(FormatError, match="is not parquet: it looks like text such as csv"):
        read(path)


def test_parquet_faults_name_the_row(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    pl.DataFrame({"task": ["a", "a"], "annotator": ["1", "1"], "label": ["x", "y"]}).write_parquet(path)
    with pytest.raises(RepeatedAnswerError, match=r"v\.parquet: .* in row 0 and again in row 1"):
        read(path)


def test_ids_of_all_types_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    frame = pl.DataFrame({"task": [300, 7, 300], "annotator": [1, 2, 2], "label": [True, False, True]})
    for task in (pl.UInt64, pl.Int16, pl.Float64, pl.String, pl.Categorical):
        frame.with_columns(
            pl.col("task").cast(pl.String).cast(task) if task == pl.Categorical else pl.col("task").cast(task)
        ).write_parquet(path)
        labels = read(path)
        assert [str(name) for name in labels.tasks] == ["300", "7"]
        assert labels.rows.unit.tolist() == [0, 0, 1]


# --- frames, imports ---------------------------------------------------------------------------------


def test_frames_name_the_column_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"votes\.csv has no column 'x'; there are 'task', 'annotator', 'label'"
    ):
        read_frame(put(tmp_path, VOTES), columns=["x"])


def test_the_room_is_light_until_it_is_used() -> None:
    """manyhands --help must not wait for polars."""
    script = (
        "import sys, types, importlib.util, pathlib\n"
        "import manyhands.errors\n"
        "before = set(sys.modules)\n"
        "import manyhands.io\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(new)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"polars", "numpy", "safetensors"} & set(done.stdout.replace("'", " ").split())
