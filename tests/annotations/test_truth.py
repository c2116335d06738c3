import numpy as np
import polars as pl
import pytest

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, MixedTypesError, ParameterError, UnknownClassError

from .crowds import KINDS, TASKS, TRUTHS, build


@pytest.mark.parametrize("kind", KINDS)
def test_a_mapping_pairs_and_entries_say_the_same(kind):
    table = build(kind)
    truth = TRUTHS[kind]
    assert table.truths() == [truth.get(task) for task in TASKS]
    pairs = table.with_truth((list(truth), list(truth.values())))
    entries = table.with_truth([truth.get(task) for task in TASKS])
    assert pairs.equals(table)
    assert entries.equals(table)
    assert table.with_truth(table.truths()).equals(table)


def test_codes_of_units():
    assert build("class").truth.tolist() == [0, 2, -1, -1]
    assert build("tags").truth.tolist() == [-1, 0, 1, 2, -1, -1, 2, 2]
    assert build("set").truth.tolist() == [1, 0, 0, -1, 1, 0, -1, -1, -1, -1, -1, -1]
    assert np.array_equal(build("number").truth, [0.5, np.nan, np.nan, 2.0], equal_nan=True)


@pytest.mark.parametrize("empty", [None, "", float("nan")])
def test_unknown(empty):
    assert build("class").with_truth(["cat", empty, "dog", empty]).truths() == ["cat", None, "dog", None]


def test_arrays_and_columns():
    table = Annotations.from_matrix([[0, 1], [1, 1]])
    for truth in (
        np.array([1.0, np.nan]),
        pl.Series([1, None]),
        [1, None],
        {0: 1},
        (np.array([0]), np.array([1])),
    ):
        assert table.with_truth(truth).truths() == [1, None]


def test_a_new_truth_takes_the_place_of_the_old():
    assert build("class").with_truth({"t3": "dog"}).truths() == [None, None, "dog", None]


def test_an_unknown_task():
    with pytest.raises(LabelError, match=r"given for 't9', which is not in the table \(1 such\)"):
        build("class").with_truth({"t9": "cat"})
    with pytest.raises(LabelError, match=r"given for 1, .*they are text, this is not"):
        build("class").with_truth({1: "cat"})


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("class", "fox"),
        ("ordinal", 9),
        ("tags", ["B", "X", "O"]),
        ("set", ["w"]),
        ("soft", "r"),
        ("set", {"w": True}),
    ],
)
def test_an_unknown_class(kind, wrong):
    with pytest.raises(UnknownClassError, match="the truth of task 't2'"):
        build(kind).with_truth({"t1": None, "t2": wrong})


def test_no_number():
    with pytest.raises(LabelError, match="the truth of task 't1'"):
        build("number").with_truth({"t1": "much"})


@pytest.mark.parametrize(("kind", "labels"), [("class", ["cat", "dog"]), ("number", [1.0, 2.0]), ("tags", [["B", "I", "O"], ["B", "I", "I"]]),
                                              ("set", [["x"], ["y"]]), ("soft", ["p", "q"])])  # fmt: skip
def test_two_truths(kind, labels):
    with pytest.raises(LabelError, match="task 't2' has two truths"):
        build(kind).with_truth((["t2", "t2"], labels))
    assert build(kind).with_truth((["t2", "t2"], [labels[0]] * 2)).truths()[1] == labels[0]


def test_of_another_length():
    with pytest.raises(ParameterError, match="3 entries for 4 tasks"):
        build("class").with_truth(["cat", "cat", "cat"])
    with pytest.raises(ParameterError, match="2 tasks but 1 labels"):
        build("class").with_truth((["t1", "t2"], ["cat"]))
    with pytest.raises(LabelError, match="truth of task 't2' has 2 tags, its answers 3"):
        build("tags").with_truth({"t2": ["B", "O"]})


def test_tags_of_which_some_are_known():
    assert build("tags").with_truth({"t2": ["B", None, "O"]}).truths()[1] == ["B", None, "O"]


def test_silent_sequences_get_the_length_of_their_truth():
    table = build("tags")
    assert np.diff(table.unit_offsets).tolist() == [1, 3, 2, 2]
    assert len(table.rows.unit) == 3 + 1 + 3 + 2 + 1 + 2
    assert table.rows.unit.max() < 6


def test_truths_bring_classes_where_none_are_declared():
    table = Annotations.from_arrays(["a", "b"], ["x", "x"], ["q", "p"], truth={"a": "o"})
    assert (table.classes.to_list(), table.answers.values.tolist(), table.truths()) == (
        ["o", "p", "q"],
        [2, 1],
        ["o", None],
    )
    tags = Annotations.from_arrays(["a"], ["x"], [["q", "p"]], truth={"a": ["o", "p"]})
    assert (tags.classes.to_list(), tags.answers.values.tolist(), tags.truths()) == (
        ["o", "p", "q"],
        [2, 1],
        [["o", "p"]],
    )
    sets = Annotations.from_arrays(["a"], ["x"], [{"q"}], truth={"a": ["o", "q"]})
    assert (sets.classes.to_list(), sets.answers.values.tolist(), sets.truths()) == (
        ["o", "q"],
        [[0, 1]],
        [["o", "q"]],
    )


def test_truths_bring_no_class_of_another_type():
    with pytest.raises(MixedTypesError, match="two types"):
        Annotations.from_arrays(["a"], ["x"], [1], truth={"a": "one"})


def test_truths_bring_no_classes_where_they_are_declared():
    with pytest.raises(UnknownClassError):
        Annotations.from_arrays(["a"], ["x"], ["p"], classes=["p"], truth={"a": "o"})
    with pytest.raises(UnknownClassError):
        Annotations.from_arrays(["a"], ["x"], pl.Series(["p"], dtype=pl.Enum(["p"])), truth={"a": "o"})


def test_truth_of_dropped_answers_stays():
    table = Annotations.from_arrays(["a", "b"], ["x", "x"], [0, None], missing="drop", truth={"b": 0})
    assert table.truths() == [None, 0]
