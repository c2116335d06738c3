"""Frames of other libraries, and what their column types mean."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, MissingLabelError, MixedTypesError, ParameterError

from .crowds import answers

COLUMNS = {"task": ["b", "a", "b"], "worker": [3, 1, 1], "label": ["y", "x", "x"], "seconds": [1.5, 2.5, 3.5]}
EXPECTED = [("b", 3, "y"), ("b", 1, "x"), ("a", 1, "x")]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_any_frame(make):
    table = Annotations.from_frame(make(COLUMNS))
    assert answers(table) == EXPECTED
    assert table.tasks.to_list() == ["b", "a"]
    assert table.columns["seconds"].tolist() == [1.5, 3.5, 2.5]


@pytest.mark.parametrize("kind", ["tags", "set"])
@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_lists_in_any_frame(make, kind):
    frame = make({"task": ["a", "b"], "worker": ["x", "x"], "label": [["p", "q"], ["q"]]})
    found = [row[2] for row in answers(Annotations.from_frame(frame, kind=kind))]
    assert found == ([("p", "q"), ("q",)] if kind == "tags" else [frozenset("pq"), frozenset("q")])


def frame_of(label):
    return pd.DataFrame({"task": [f"t{n}" for n in range(len(label))], "worker": "x", "label": label})


@pytest.mark.parametrize("ordered", [False, True])
def test_pandas_categories_are_the_classes_in_their_order(ordered):
    label = pd.Categorical(["hi", "lo", None], categories=["lo", "mid", "hi"], ordered=ordered)
    table = Annotations.from_frame(frame_of(label), missing="abstain")
    assert table.classes.to_list() == ["lo", "mid", "hi"]
    assert [row[2] for row in answers(table)] == ["hi", "lo", None]


def test_pandas_categories_of_integers():
    table = Annotations.from_frame(frame_of(pd.Categorical([3, 1], categories=[3, 2, 1])))
    assert table.classes.to_list() == [3, 2, 1]
    assert [row[2] for row in answers(table)] == [3, 1]


def test_pandas_categories_as_ids_declare_nobody():
    frame = frame_of(["a", "b"])
    frame["worker"] = pd.Categorical(["x", "y"], categories=["z", "y", "x"])
    assert Annotations.from_frame(frame).annotators.to_list() == ["x", "y"]


def test_declared_classes_go_before_categories():
    label = pd.Categorical(["a", "b"], categories=["b", "a"])
    assert Annotations.from_frame(frame_of(label), classes=["a", "b", "c"]).classes.to_list() == [
        "a",
        "b",
        "c",
    ]


def test_polars_enum_and_categorical():
    label = pl.Series(["hi", "lo"])
    columns = {"task": ["a", "b"], "worker": ["x", "x"]}
    enum = pl.DataFrame(columns | {"label": label.cast(pl.Enum(["lo", "mid", "hi"]))})
    assert Annotations.from_frame(enum).classes.to_list() == ["lo", "mid", "hi"]
    text = pl.DataFrame(columns | {"label": pl.Series(["lo", "hi"]).cast(pl.Categorical)})
    assert Annotations.from_frame(text).classes.to_list() == ["hi", "lo"]


def test_arrow_dictionaries_are_text():
    table = pa.table({"task": pa.array(["b", "a"]).dictionary_encode(), "worker": ["x", "x"],
                      "label": pa.array(["y", "x"]).dictionary_encode()})  # fmt: skip
    assert answers(Annotations.from_frame(table)) == [("b", "x", "y"), ("a", "x", "x")]


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "Float64", "float64", "object", "string", "boolean"])
def test_pandas_nullable_types(dtype):
    values = {"string": ["1", None, "0"], "boolean": [True, None, False]}.get(dtype, [1, None, 0])
    table = Annotations.from_frame(frame_of(pd.Series(values, dtype=dtype)), missing="abstain")
    assert [row[2] for row in answers(table)] == values
    with pytest.raises(MissingLabelError) as error:
        Annotations.from_frame(frame_of(pd.Series(values, dtype=dtype)))
    assert error.value.row == 1


def test_large_integers_with_a_gap_keep_every_digit():
    ids = pd.Series([2**60 + 1, 2**60], dtype="Int64")
    frame = pd.DataFrame({"task": ids, "worker": "x", "label": pd.Series([2**60 + 1, None], dtype="Int64")})
    table = Annotations.from_frame(frame, missing="abstain")
    assert answers(table) == [(2**60 + 1, "x", 2**60 + 1), (2**60, "x", None)]
    assert Annotations.from_frame(pa.Table.from_pandas(frame), missing="abstain").equals(table)


@pytest.mark.parametrize("empty", [None, np.nan, pd.NA, pd.NaT])
def test_every_nothing_of_pandas(empty):
    table = Annotations.from_frame(frame_of(pd.Series(["a", empty], dtype=object)), missing="abstain")
    assert [row[2] for row in answers(table)] == ["a", None]


def test_mixed_object_column():
    with pytest.raises(MixedTypesError) as error:
        Annotations.from_frame(frame_of(pd.Series([1, np.nan, "1"], dtype=object)))
    assert error.value.row == 2


def test_dates_as_ids():
    days = ["2020-01-02", "2020-01-01", "2020-01-02"]
    frames = [pd.DataFrame({"task": pd.to_datetime(days), "worker": list("xyz"), "label": list("abc")}),
              pl.DataFrame({"task": pl.Series(days).str.to_date(), "worker": list("xyz"), "label": list("abc")})]  # fmt: skip
    for frame in frames:
        table = Annotations.from_frame(frame)
        assert [str(day)[:10] for day in table.tasks] == days[:2]
        assert Annotations.from_frame(table.to_frame()).tasks == table.tasks or isinstance(
            frame, pd.DataFrame
        )


def test_series_of_libraries_as_columns():
    for make in (pd.Series, pl.Series, pa.array, np.array):
        table = Annotations.from_arrays(
            make(COLUMNS["task"]), make(COLUMNS["worker"]), make(COLUMNS["label"])
        )
        assert answers(table) == EXPECTED
    chunked = pa.chunked_array([["b"], ["a", "b"]])
    assert answers(Annotations.from_arrays(chunked, [3, 1, 1], COLUMNS["label"])) == EXPECTED


def test_a_pandas_index_does_not_matter():
    frame = pd.DataFrame(COLUMNS, index=[7, 7, 2])
    assert answers(Annotations.from_frame(frame)) == EXPECTED


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    table = Annotations.from_arrays(torch.tensor([0, 1]), torch.tensor([0, 0]), torch.tensor([1, 0]))
    assert answers(table) == [(0, 0, 1), (1, 0, 0)]


@pytest.mark.parametrize("repeated", [pd.DataFrame([["t", "x", 1, 2]], columns=["task", "worker", "label", "label"]),
                                      pa.table([["t"], ["x"], [1], [2]], names=["task", "worker", "label", "label"])])  # fmt: skip
def test_a_frame_with_two_columns_of_one_name(repeated):
    with pytest.raises(ParameterError, match=r"two columns of one name.*label"):
        Annotations.from_frame(repeated)


@pytest.mark.parametrize(("frame", "cure"), [(COLUMNS, "data frame"), (pl.DataFrame(COLUMNS).lazy(), "collect"), ("votes.csv", "manyhands.read"),
                                             (None, "data frame")])  # fmt: skip
def test_what_is_no_frame(frame, cure):
    with pytest.raises(LabelError, match=cure):
        Annotations.from_frame(frame)


def test_absent_columns():
    frame = pl.DataFrame(COLUMNS)
    with pytest.raises(ParameterError, match=r"'voter'.*'worker'.*--columns annotator=NAME"):
        Annotations.from_frame(frame, annotator="voter")
    with pytest.raises(ParameterError, match=r"'gold'.*'seconds'"):
        Annotations.from_frame(frame, truth="gold")
    with pytest.raises(ParameterError, match="'price'"):
        Annotations.from_frame(frame, columns=["price"])
    with pytest.raises(ParameterError, match="no column for the label"):
        Annotations.from_frame(frame.drop("label"))


def test_which_columns_are_kept():
    frame = pl.DataFrame(COLUMNS).with_columns(note=pl.Series(["p", "q", "r"]))
    assert list(Annotations.from_frame(frame).columns) == ["seconds"]
    assert Annotations.from_frame(frame, columns="note").columns["note"].tolist() == ["p", "r", "q"]
    assert list(Annotations.from_frame(frame, columns=[]).columns) == []
    kept = Annotations.from_frame(frame, columns=["note", "seconds"]).to_frame()
    assert kept["note"].to_list() == ["p", "r", "q"]


def test_a_truth_column():
    frame = pl.DataFrame(COLUMNS).with_columns(gold=pl.Series(["z", None, "z"]))
    table = Annotations.from_frame(frame, truth="gold")
    assert table.truths() == ["z", None]
    assert table.classes.to_list() == ["x", "y", "z"]


def test_a_truth_column_that_contradicts_itself():
    frame = pl.DataFrame(COLUMNS).with_columns(gold=pl.Series(["x", None, "y"]))
    with pytest.raises(LabelError, match=r"task 'b' has two truths, '[xy]' and '[xy]'"):
        Annotations.from_frame(frame, truth="gold")


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_a_wide_frame_names_its_annotators(make):
    table = Annotations.from_matrix(make({"ann": [1, 0], "bob": [-1, 1]}))
    assert answers(table) == [(0, "ann", 1), (1, "ann", 0), (1, "bob", 1)]


def test_a_wide_pandas_frame_names_its_tasks():
    frame = pd.DataFrame({"ann": ["p", None], "bob": ["q", "p"]}, index=["t1", "t2"])
    assert answers(Annotations.from_matrix(frame)) == [
        ("t1", "ann", "p"),
        ("t1", "bob", "q"),
        ("t2", "bob", "p"),
    ]


def test_a_wide_arrow_table():
    table = Annotations.from_matrix(pa.table({"ann": [1, 0], "bob": [None, 1]}))
    assert answers(table) == [(0, "ann", 1), (1, "ann", 0), (1, "bob", 1)]


def test_a_polars_column_of_lists():
    label = pl.Series([["O", None], [], None, ["B", "O"]])
    frame = pl.DataFrame({"task": ["a", "b", "c", "a"], "worker": list("xxxy"), "label": label})
    lists = Annotations.from_arrays(
        frame["task"], frame["worker"], label.to_list(), missing="abstain", tasks=["a", "b", "c"]
    )
    assert Annotations.from_frame(frame, missing="abstain").equals(lists)
    with pytest.raises(MissingLabelError) as error:
        Annotations.from_frame(frame)
    assert error.value.row == 1
    with pytest.raises(LabelError, match="label 'B' in row 3") as error:
        Annotations.from_frame(frame, missing="drop", classes=["O"])
    assert error.value.row == 3
    nothing = frame.with_columns(label=pl.Series([None, []] * 2, dtype=pl.List(pl.String)))
    assert Annotations.from_frame(nothing, missing="drop").n_answers == 0
    enums = frame.with_columns(label=label.cast(pl.List(pl.Enum(["O", "I", "B"])))).tail(1)
    for kind in (None, "set"):
        assert Annotations.from_frame(enums, kind=kind).classes.to_list() == ["O", "I", "B"]
