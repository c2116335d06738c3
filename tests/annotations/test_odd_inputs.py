"""Every odd input has one stated behaviour: the table in docs/labels.md, row by row."""

import datetime
import decimal
import enum
import uuid

import numpy as np
import polars as pl
import pytest

from manyhands.annotations import Annotations, Names
from manyhands.errors import (
    LabelError,
    LabelWarning,
    MissingLabelError,
    MixedTypesError,
    ParameterError,
    RepeatedAnswerError,
    UnknownClassError,
)

from .crowds import answers


def labelled(labels, **options):
    return Annotations.from_arrays(
        [f"t{n}" for n in range(len(labels))], ["ann"] * len(labels), labels, **options
    )


def said(table):
    return [row[2] for row in answers(table)]


# --- empty -------------------------------------------------------------------------------------

EMPTY = [("class", "a", None), ("class", "a", ""), ("class", "a", "  "), ("class", "a", float("nan")), ("class", 1, None),
         ("class", 1, np.nan), ("ordinal", 1, None), ("number", 1.5, None), ("number", 1.5, np.nan), ("number", "1.5", ""),
         ("tags", ["O"], None), ("tags", ["O"], []), ("set", ["x"], None), ("soft", {"p": 1.0}, None),
         ("soft", [0.5, 0.5], None), ("soft", [0.5, 0.5], [np.nan, np.nan]), ("soft", {"p": 1.0}, {"p": None})]  # fmt: skip


@pytest.mark.parametrize(("kind", "good", "empty"), EMPTY)
def test_an_empty_label(kind, good, empty):
    with pytest.raises(
        MissingLabelError, match=r"row 1 \(task 't1', annotator 'ann'\).*missing='drop'"
    ) as error:
        labelled([good, empty, good], kind=kind)
    assert error.value.row == 1
    dropped = labelled([good, empty, good], kind=kind, missing="drop")
    assert (dropped.n_answers, dropped.n_tasks) == (2, 3)
    kept = labelled([good, empty, good], kind=kind, missing="abstain")
    assert kept.n_answers == 3
    assert said(kept)[1] in (None, ())
    assert kept.summary().abstentions == 1


@pytest.mark.parametrize("empty", [None, "", " ", float("nan")])
@pytest.mark.parametrize("role", ["task", "annotator"])
def test_an_empty_id_is_always_an_error(empty, role):
    columns = {"task": ["a", "b"], "annotator": ["x", "y"], "label": [0, 1]}
    columns[role][1] = empty
    with pytest.raises(MissingLabelError, match=f"{role} ids: row 1 is empty") as error:
        Annotations.from_arrays(**columns, missing="drop")
    assert error.value.row == 1


def test_an_empty_id_beside_declared_ones():
    with pytest.raises(MissingLabelError, match="row 1 is empty"):
        Annotations.from_arrays(["a", None], ["x", "y"], [0, 1], tasks=["a", "b"])


def test_everything_empty():
    table = labelled([None, None], missing="abstain")
    assert said(table) == [None, None]
    assert len(table.classes) == 0


# --- repeated ----------------------------------------------------------------------------------

REPEATED = (["a", "b", "a", "a", "a"], ["x", "x", "x", "y", "x"], [0, 1, 1, 0, 2])


def test_a_repeated_pair():
    with pytest.raises(
        RepeatedAnswerError, match=r"'x' answered task 'a' in row 0 and again in row 2; 2 such"
    ) as error:
        Annotations.from_arrays(*REPEATED)
    assert error.value.row == 2


@pytest.mark.parametrize(
    ("repeats", "kept"), [("first", [0, 0, 1]), ("last", [0, 2, 1]), ("all", [0, 1, 0, 2, 1])]
)
def test_repeats_kept(repeats, kept):
    assert said(Annotations.from_arrays(*REPEATED, repeats=repeats)) == kept


def test_repeats_are_counted_after_empty_labels_are_dropped():
    table = Annotations.from_arrays(["a", "a"], ["x", "x"], [None, 1], missing="drop")
    assert said(table) == [1]


def test_the_row_of_a_repeat_is_that_of_the_input():
    with pytest.raises(RepeatedAnswerError) as error:
        Annotations.from_arrays(
            ["b", "a", "a", "a"], ["x", "x", "y", "x"], [0, None, 1, 1], missing="abstain"
        )
    assert error.value.row == 3
    with pytest.raises(RepeatedAnswerError, match="row 2 and again in row 3") as error:
        Annotations.from_arrays(["b", "b", "a", "a"], ["x", "y", "x", "x"], [None, 0, 1, 1], missing="drop")
    assert error.value.row == 3


# --- few ---------------------------------------------------------------------------------------


def test_declared_but_silent():
    table = Annotations.from_arrays(["a"], ["x"], [0], tasks=["b", "a"], annotators=["x", "y"])
    assert (table.n_tasks, table.n_annotators, table.task.tolist()) == (2, 2, [1])
    summary = table.summary()
    assert (summary.unanswered_tasks, summary.silent_annotators) == (1, 1)


@pytest.mark.parametrize(
    ("option", "role"), [({"tasks": ["a"]}, "task"), ({"annotators": ["x"]}, "annotator")]
)
def test_an_id_that_is_not_declared(option, role):
    with pytest.raises(LabelError, match=f"{role} ids: '[by]' in row 1 is not among the 1 declared") as error:
        Annotations.from_arrays(["a", "b"], ["x", "y"], [0, 1], **option)
    assert error.value.row == 1


@pytest.mark.parametrize("option", ["tasks", "annotators", "classes"])
def test_declared_twice(option):
    with pytest.raises(LabelError, match="'a' occurs twice"):
        Annotations.from_arrays(["a"], ["a"], ["a"], **{option: ["a", "b", "a"]})


@pytest.mark.parametrize("option", ["tasks", "annotators", "classes"])
def test_declared_in_no_order(option):
    with pytest.raises(LabelError, match="no order"):
        Annotations.from_arrays(["a"], ["a"], ["a"], **{option: {"a", "b"}})


@pytest.mark.parametrize("option", ["tasks", "annotators", "classes"])
def test_declared_empty(option):
    with pytest.raises(MissingLabelError, match="entry 1 is empty"):
        Annotations.from_arrays(["a"], ["a"], ["a"], **{option: ["a", None]})


def test_one_class():
    table = labelled(["a", "a"])
    assert (table.n_classes, np.asarray(table).tolist()) == (1, ["a", "a"])


def test_one_annotator():
    assert labelled(["a", "b"]).n_annotators == 1


@pytest.mark.parametrize("kind", [None, "class", "ordinal", "number", "tags", "set", "soft"])
def test_zero_rows(kind):
    table = Annotations.from_arrays([], [], [], kind=kind)
    assert (table.n_tasks, table.n_annotators, table.n_answers, table.n_units) == (0, 0, 0, 0)
    assert table.summary().answers == 0
    assert table.rows.unit.tolist() == table.by_unit[0].tolist() == table.by_annotator[0].tolist() == []
    assert table.to_frame().height == 0
    assert table[:0].equals(table)
    assert Annotations.concat([table, table]).equals(table)


@pytest.mark.parametrize("kind", ["class", "tags", "set", "soft"])
def test_zero_rows_with_declared_names(kind):
    table = Annotations.from_arrays([], [], [], kind=kind, classes=["a", "b"], tasks=["t"], annotators=["x"])
    assert (table.n_tasks, table.n_annotators, len(table.classes)) == (1, 1, 2)


# --- types -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [[1, "1"], ["a", 2], [1, True], [(1,), "a"], pl.Series([1, "1"], dtype=pl.Object),
                                 np.array([1, "1"], dtype=object)])  # fmt: skip
@pytest.mark.parametrize("role", [0, 1, 2])
def test_mixed_types(ids, role):
    columns = [["a", "b"], ["x", "y"], ["p", "q"]]
    columns[role] = ids
    with pytest.raises(MixedTypesError, match="in row 1 is of type") as error:
        Annotations.from_arrays(*columns)
    assert error.value.row == 1


def test_mixed_types_among_declared():
    with pytest.raises(MixedTypesError):
        Annotations.from_arrays(["a"], ["x"], [1], classes=[1, "1"])


def test_declared_of_another_type_says_so():
    with pytest.raises(LabelError, match=r"\(they are text, this is not\)"):
        Annotations.from_arrays([1], ["x"], [0], tasks=["1"])


IDS = [[1.0, 2.0], [10**30, -5], [2**63, 1], np.array([2**63, 1], dtype=np.uint64), [(1, "a"), (2, "b")],
       [datetime.date(2020, 1, 2), datetime.date(2019, 1, 1)], [uuid.UUID(int=2), uuid.UUID(int=1)],
       [b"x", b"y"], [frozenset("a"), frozenset("b")], [True, False], np.array(["b", "a"]), list(np.array(["b", "a"])),
       list(np.array([3, 2])), np.array(["2020-01-01", "2019-01-01"], dtype="datetime64[ns]"), 
       pl.Series(["b", "a"], dtype=pl.Categorical), pl.Series([datetime.date(2020, 1, 1), datetime.date(2019, 1, 1)]),
       pl.Series([2**64 - 1, 3], dtype=pl.UInt64), [2**53 + 1, 2**53]]  # fmt: skip


@pytest.mark.parametrize("ids", IDS, ids=lambda ids: f"{type(ids).__name__}-{type(ids[0]).__name__}")
def test_ids_of_any_hashable(ids):
    """First at places 0 and 2, then in a row: the codes must tell them apart."""
    three = [ids[0], ids[1], ids[0]]
    for role in (0, 1):
        columns = [["a", "b", "c"], ["x", "y", "z"]]
        columns[role] = three
        table = Annotations.from_arrays(*columns, ["p", "q", "p"])
        found = [row[role] for row in answers(table)]
        plain = [
            v.item() if isinstance(v, np.generic) and not isinstance(v, np.datetime64) else v for v in three
        ]
        if not isinstance(plain[0], np.datetime64) and plain[0] not in (1.0,):
            assert sorted(map(repr, found)) == sorted(map(repr, plain))
        assert len(set(found)) == 2
        names = table.tasks if role == 0 else table.annotators
        assert names.codes(names.to_list()).tolist() == list(range(len(names)))


def test_big_integers_keep_every_digit():
    ids = [2**53 + 1, 2**53, 2**62 + 1]
    assert Annotations.from_arrays(ids, ids, [0, 1, 0]).tasks.to_list() == ids


def test_an_unhashable_id():
    with pytest.raises(LabelError, match=r"\[1\] in row 0 is not hashable") as error:
        Annotations.from_arrays([[1], [2]], ["x", "y"], [0, 1])
    assert error.value.row == 0


@pytest.mark.parametrize("wrong", [1.5, float("inf"), 1e300, 2.0**60])
def test_a_float_id_that_is_no_exact_integer(wrong):
    with pytest.raises(LabelError, match="row 1 is not a whole number") as error:
        Annotations.from_arrays([1.0, wrong], ["x", "y"], [0, 1])
    assert error.value.row == 1


# --- classes -----------------------------------------------------------------------------------


def test_a_label_outside_the_classes():
    with pytest.raises(UnknownClassError, match=r"label 'c' in row 1 .*\('a', 'b'\); 2 such") as error:
        labelled(["a", "c", "c"], classes=["a", "b"])
    assert error.value.row == 1


@pytest.mark.parametrize(("kind", "labels"), [("tags", [["a"], ["a", "c"]]), ("set", [["a"], ["c", "a"]]),
                                              ("soft", [{"a": 1.0}, {"c": 1.0}])])  # fmt: skip
def test_a_label_outside_the_classes_in_other_kinds(kind, labels):
    with pytest.raises(UnknownClassError, match=r"'c'.*classes") as error:
        labelled(labels, kind=kind, classes=["a", "b"])
    assert error.value.row == 1
    assert "row 1" in str(error.value)


def test_an_unknown_label_after_an_abstention_names_its_own_row():
    with pytest.raises(UnknownClassError, match="row 2") as error:
        labelled(["?", "a", "c"], classes=["a"], abstain="?")
    assert error.value.row == 2


def test_classes_in_the_stated_order_also_unused_ones():
    assert labelled(["b", "a"], classes=["c", "b", "a"]).answers.values.tolist() == [1, 2]


def test_classes_in_the_order_of_values_not_of_rows():
    assert labelled(["10", "9", "-1"]).classes.to_list() == ["-1", "9", "10"]
    assert labelled(["1.5", "10.0", "9"], kind="class").classes.to_list() == ["1.5", "9", "10.0"]
    assert labelled([3, 1, 2]).classes.to_list() == [1, 2, 3]
    assert labelled(["b", "a"]).classes.to_list() == ["a", "b"]


def test_booleans_are_two_classes():
    table = labelled([True, True])
    assert table.classes.to_list() == [False, True]
    assert said(table) == [True, True]
    assert said(labelled(np.array([True, False]))) == [True, False]
    assert said(labelled([True, None], missing="abstain")) == [True, None]


def test_whole_floats_are_integers():
    table = labelled([1.0, float("nan"), 3.0], missing="abstain")
    assert table.classes.to_list() == [1, 3]
    assert said(table) == [1, None, 3]


@pytest.mark.parametrize(
    "labels",
    [[1.0, 2.5], ["1.0", "2.5"], [1, 2.5], ["1", " 2.5 "], [decimal.Decimal("1"), decimal.Decimal("2.5")]],
)
def test_numbers_with_decimals_must_be_told(labels):
    with pytest.raises(LabelError, match=r"2.5.* in row 1 is a number with decimals.*--kind number") as error:
        labelled(labels)
    assert error.value.row == 1
    assert said(labelled(labels, kind="number")) == [1.0, 2.5]
    assert len(labelled(labels, kind="class").classes) == 2


def test_decimals_beside_a_word_for_an_abstention():
    with pytest.raises(LabelError, match=r"'2.5' in row 1"):
        labelled(["NA", "2.5"], abstain="NA")


def test_numbers_as_text():
    assert labelled(["1", "2"]).classes.to_list() == ["1", "2"]
    assert said(labelled(["1", " 2.5 "], kind="number")) == [1.0, 2.5]
    assert said(labelled(["1", "2"], classes=[2, 1])) == [1, 2]
    assert said(labelled([1, 2], classes=["2", "1"])) == ["1", "2"]


@pytest.mark.parametrize("wrong", ["abc", True, (1, 2), datetime.date(2020, 1, 1)])
def test_no_number(wrong):
    with pytest.raises(LabelError, match=r"in row 0 is not a number \(kind='number'\)") as error:
        labelled([wrong, wrong], kind="number")
    assert error.value.row == 0


@pytest.mark.parametrize("kind", ["number", "class", "ordinal"])
@pytest.mark.parametrize("infinite", [float("inf"), -float("inf")])
def test_infinite_numbers(kind, infinite):
    with pytest.raises(LabelError, match="inf in row 1 is infinite") as error:
        labelled([1.0, infinite], kind=kind)
    assert error.value.row == 1


def test_infinite_number_as_text():
    with pytest.raises(LabelError, match="row 0 is infinite"):
        labelled(["inf", "1"], kind="number")


def test_integers_beyond_64_bits_as_numbers():
    assert said(labelled([2**70, 1], kind="number")) == [2.0**70, 1.0]


@pytest.mark.parametrize("labels", [[(1, 2), (3, 4), (1, 2)], [datetime.date(2020, 1, 2), datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
                                    [b"y", b"x", b"y"]])  # fmt: skip
def test_labels_of_any_hashable(labels):
    table = labelled(labels)
    assert said(table) == labels
    assert table.classes.to_list() == sorted(set(labels))
    assert len(np.asarray(table)) == 3


def test_unordered_hashables_as_classes_do_not_depend_on_the_rows():
    colour = enum.Enum("colour", "red green")
    one, two = labelled([colour.red, colour.green]), labelled([colour.green, colour.red])
    assert one.classes == two.classes


def test_ordinal_text_without_an_order_warns():
    with pytest.warns(LabelWarning, match="classes="):
        labelled(["low", "high"], kind="ordinal")


@pytest.mark.parametrize(
    "labels", [["1", "2"], [1, 2], pl.Series(["low", "high"], dtype=pl.Enum(["low", "high"]))]
)
def test_ordinal_with_an_order_does_not(labels):
    assert labelled(labels, kind="ordinal").answers.values.tolist() == [0, 1]


def test_classes_go_with_classes():
    with pytest.raises(ParameterError, match="classes="):
        labelled([1.5], kind="number", classes=[1.5])


# --- abstentions -------------------------------------------------------------------------------


@pytest.mark.parametrize(("labels", "abstain", "kind", "expected"), [
    (["a", "?", "b"], "?", "class", ["a", None, "b"]),
    (["a", "?", "skip"], ["?", "skip"], "class", ["a", None, None]),
    ([1, -1, 2], -1, "class", [1, None, 2]),
    ([1.0, -1.0, np.nan], -1, "class", [1, None, None]),
    (["1", "-1", "2"], -1, "class", ["1", None, "2"]),
    ([1.5, -1.0, 2.0], -1, "number", [1.5, None, 2.0]),
    (["1.5", "NA", "2"], "NA", "number", [1.5, None, 2.0]),
    ([1, 9, 2], 9, "number", [1.0, None, 2.0]),
    ([["O", "?"], ["?", "O"], ["O", "O"]], "?", "tags", [("O", None), (None, "O"), ("O", "O")]),
    ([["x"], ["?"], ["x", "?"]], "?", "set", [frozenset("x"), None, None]),
    ([(1, 2), (0, 0), (1, 2)], [(0, 0)], "class", [(1, 2), None, (1, 2)]),
])  # fmt: skip
def test_abstentions(labels, abstain, kind, expected):
    table = labelled(labels, abstain=abstain, kind=kind, missing="abstain")
    assert said(table) == expected


def test_an_abstention_is_no_missing_label():
    assert labelled(["a", "?"], abstain="?", missing="error").n_answers == 2


def test_a_word_that_is_a_class_and_an_abstention():
    with pytest.raises(ParameterError, match="'a' is both"):
        labelled(["a"], classes=["a"], abstain="a")


def test_a_category_that_is_an_abstention():
    table = labelled(pl.Series(["b", "?"], dtype=pl.Enum(["b", "?", "a"])), abstain="?")
    assert (table.classes.to_list(), said(table)) == (["b", "a"], ["b", None])


def test_abstain_does_not_go_with_distributions():
    with pytest.raises(ParameterError, match="missing='abstain'"):
        labelled([{"a": 1.0}], abstain="a")


# --- inside a label ----------------------------------------------------------------------------


def test_answers_of_different_lengths_to_one_sequence():
    with pytest.raises(LabelError, match=r"task 't' has 1 tags in row 1 but 2") as error:
        Annotations.from_arrays(["t", "t"], ["x", "y"], [["O", "O"], ["O"]])
    assert error.value.row == 1


@pytest.mark.parametrize("wrong", ["O O", 3])
def test_tags_that_are_no_list(wrong):
    with pytest.raises(LabelError, match="row 0 is not a list of tags") as error:
        labelled([wrong, wrong], kind="tags")
    assert error.value.row == 0


@pytest.mark.parametrize("kind", ["tags", "set"])
def test_mixed_types_inside_a_label(kind):
    with pytest.raises(MixedTypesError, match="'1' in row 2") as error:
        labelled([[1], [2], [3, "1"]], kind=kind)
    assert error.value.row == 2


def test_an_empty_member_of_a_set():
    with pytest.raises(MissingLabelError, match="set in row 1 has an empty member") as error:
        labelled([["a"], ["a", None]], kind="set")
    assert error.value.row == 1


def test_text_is_no_set():
    with pytest.raises(LabelError, match=r"'a\|b' in row 0 is not a set.*--separator"):
        labelled(["a|b"], kind="set")


@pytest.mark.parametrize(("wrong", "says"), [([0.5, 0.6], "sums to 1.1"), ([1.5, -0.5], "non-negative"), ([np.nan, 1.0], "sums to nan"),
                                             ([1.0], "1 entries, others have 2"), (["a", "b"], "not a number"), ({"p", "q"}, "not a distribution")])  # fmt: skip
def test_no_distribution(wrong, says):
    with pytest.raises(LabelError, match=says) as error:
        labelled([[0.5, 0.5], wrong], kind="soft")
    assert error.value.row == 1
    assert "row 1" in str(error.value)


def test_a_matrix_of_distributions():
    table = labelled(np.array([[0.25, 0.75], [np.nan, np.nan]]), classes=["p", "q"], missing="abstain")
    assert (table.kind, said(table)) == ("soft", [(0.25, 0.75), None])


def test_distributions_of_another_width():
    with pytest.raises(ParameterError, match="2 entries but classes= names 3"):
        labelled(np.array([[0.25, 0.75]]), classes=["p", "q", "r"])


# --- which kind --------------------------------------------------------------------------------


@pytest.mark.parametrize(("labels", "kind"), [(["a"], "class"), ([1], "class"), ([(1, 2)], "class"), ([["O"]], "tags"), ([{"a"}], "set"),
                                              ([frozenset()], "set"), ([{"a": 1.0}], "soft"), ([None, ["O"]], "tags"), ([2.0], "class")])  # fmt: skip
def test_the_kind_is_found_out(labels, kind):
    assert labelled(labels, missing="abstain").kind == kind


def test_names_know_numpy_scalars():
    assert Names(np.array(["a", "b"])) == Names([np.str_("a"), "b"]) == Names(["a", "b"])
    assert Names([np.int64(3)]) == Names([3])


def test_blank_text_beside_other_types_is_empty():
    assert said(labelled([1, " ", 2], missing="abstain")) == [1, None, 2]
    assert said(labelled([["O"], ""], missing="abstain")) == [("O",), ()]


def test_an_abstention_that_can_be_no_label():
    with pytest.raises(ParameterError, match="abstain="):
        labelled(["a"], abstain=[["a"]])


def test_a_matrix_is_no_column_of_classes():
    with pytest.raises(LabelError, match=r"array of shape \(2, 2\)"):
        labelled(np.zeros((2, 2)), kind="class")


def test_a_matrix_of_text_is_no_distribution():
    with pytest.raises(LabelError, match="'a' in row 0 is not a number") as error:
        labelled(np.array([["a", "b"], ["a", "b"]]))
    assert error.value.row == 0


def test_a_date_that_python_has_not():
    with pytest.raises(LabelError, match=r"Datetime.*give text"):
        labelled(pl.Series([2**60], dtype=pl.Datetime("us")))


def test_lists_of_columns():
    assert said(labelled([pl.Series(["a"]), pl.Series(["b"])])) == [("a",), ("b",)]
    assert said(labelled([pl.Series([1]), pl.Series([2])], kind="set", abstain=[2])) == [frozenset([1]), None]


def test_no_truths_of_boolean_ids():
    table = Annotations.from_arrays([True, False], ["x", "x"], ["p", "q"])
    assert table.with_truth({}).truths() == [None, None]
