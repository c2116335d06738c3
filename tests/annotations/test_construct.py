import numpy as np
import polars as pl
import pytest

from manyhands.annotations import Annotations, Names
from manyhands.errors import LabelError, ParameterError

from . import crowds
from .crowds import KINDS, answers, build, expected


@pytest.mark.parametrize("kind", KINDS)
def test_from_arrays(kind):
    table = build(kind)
    assert answers(table) == expected(kind)
    assert (table.n_tasks, table.n_annotators, table.shape) == (4, 4, (4,))
    assert table.columns["time"].tolist() == [
        1.5 * n
        for n in sorted(range(table.n_answers), key=lambda n: crowds.TASKS.index(crowds.ROWS[kind][n][0]))
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_from_frame(kind):
    task, annotator, label = crowds.arrays(kind)
    frame = pl.DataFrame({"item": task, "worker": annotator, "answer": pl.Series(label, strict=False)})
    assert answers(Annotations.from_frame(frame, **crowds.options(kind))) == expected(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_from_dict(kind):
    nested = {task: {} for task in crowds.TASKS}
    for task, annotator, label in crowds.ROWS[kind]:
        nested[task][annotator] = label
    assert answers(Annotations.from_dict(nested, **crowds.options(kind))) == expected(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_from_matrix(kind):
    wide = [[None] * 4 for _ in crowds.TASKS]
    for task, annotator, label in crowds.ROWS[kind]:
        wide[crowds.TASKS.index(task)][crowds.ANNOTATORS.index(annotator)] = label
    found = answers(Annotations.from_matrix(wide, **crowds.options(kind)))
    order = {name: place for place, name in enumerate(crowds.ANNOTATORS)}
    spoken = [row for row in expected(kind) if row[1:] != ("cid", (None, None)) and row[2] is not None]
    assert found == sorted(spoken, key=lambda row: (row[0], order[row[1]]))


@pytest.mark.parametrize("kind", KINDS)
def test_from_y(kind):
    labels = [label for _, _, label in crowds.ROWS[kind] if label is not None]
    table = Annotations.from_y(labels, kind=kind, classes=crowds.CLASSES[kind])
    assert table.tasks == Names.range(len(labels))
    assert [row[2] for row in answers(table)] == [crowds.said(kind, label) for label in labels]
    assert Annotations.from_y(table) is table


@pytest.mark.parametrize("y", [[[0, 1, -1], [1, -1, 0]], np.array([[0, 1, np.nan], [1, np.nan, 0]])])
def test_from_y_wide(y):
    assert answers(Annotations.from_y(y)) == [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 2, 0)]


def test_from_y_mixed_types_are_not_made_text():
    with pytest.raises(LabelError, match="several types"):
        Annotations.from_y([1, "1"])


def test_codes_keep_their_rows():
    table = Annotations.from_arrays([5, 2], [3, 0], ["a", "b"])
    assert (table.n_tasks, table.n_annotators) == (6, 4)
    assert answers(table) == [(2, 0, "b"), (5, 3, "a")]


@pytest.mark.parametrize(
    "ids", [[5.0, 2.0], np.array([5, 2], dtype=np.uint8), pl.Series([5, 2]), np.array([5.0, 2.0])]
)
def test_codes_of_any_type(ids):
    assert Annotations.from_arrays(ids, ["a", "b"], [0, 0]).tasks == Names.range(6)


def test_scattered_integers_are_names():
    table = Annotations.from_arrays([10**9, 7], [0, 0], ["a", "b"])
    assert table.tasks.to_list() == [10**9, 7]


def test_negative_integers_are_names():
    assert Annotations.from_arrays([-1, 0], [0, 0], ["a", "b"]).tasks.to_list() == [-1, 0]


def test_text_ids_in_order_of_appearance():
    assert Annotations.from_arrays(["b", "a", "b"], ["x", "x", "y"], [0, 1, 1]).tasks.to_list() == ["b", "a"]


@pytest.mark.parametrize("label", [[2, 0], np.array([2, 0], dtype=np.int8), [2.0, 0.0]])
def test_label_codes_with_named_classes(label):
    table = Annotations.from_arrays([0, 1], [0, 0], label, classes=["no", "perhaps", "yes"])
    assert [row[2] for row in answers(table)] == ["yes", "no"]


@pytest.mark.parametrize(("kind", "label"), [("tags", [[2, 0], [1]]), ("set", [[2, 0], []])])
def test_label_codes_inside_lists(kind, label):
    table = Annotations.from_arrays([0, 1], [0, 0], label, kind=kind, classes=["no", "perhaps", "yes"])
    shown = answers(table)[0][2]
    assert shown == (("yes", "no") if kind == "tags" else frozenset(["yes", "no"]))


def test_label_codes_with_truth_codes_or_names():
    for truth in ([1, None], ["yes", None], {0: 1}, ([0], ["yes"])):
        table = Annotations.from_arrays([0, 1], [0, 0], [1, 0], classes=["no", "yes"], truth=truth)
        assert table.truths() == ["yes", None]


def test_label_code_beyond_the_classes():
    with pytest.raises(LabelError, match="2 in row 1") as error:
        Annotations.from_arrays([0, 1], [0, 0], [1, 2], classes=["no", "yes"])
    assert error.value.row == 1


def test_abstained_code():
    table = Annotations.from_arrays([0, 1], [0, 0], [1, -1], classes=["no", "yes"], abstain=-1)
    assert [row[2] for row in answers(table)] == ["yes", None]


def test_classes_that_read_like_integers_are_met_by_their_text():
    table = Annotations.from_arrays([0, 1], [0, 0], [1, 0], classes=["1", "0"])
    assert [row[2] for row in answers(table)] == ["1", "0"]


def test_columns_of_different_lengths():
    with pytest.raises(LabelError, match=r"'task': 2, 'annotator': 1, 'label': 2"):
        Annotations.from_arrays(["a", "b"], ["x"], [0, 1])


def test_a_column_alongside_of_another_length():
    with pytest.raises(LabelError, match="'time'"):
        Annotations.from_arrays(["a", "b"], ["x", "x"], [0, 1], columns={"time": [1.0]})


def test_a_column_alongside_with_a_taken_name():
    with pytest.raises(ParameterError, match="rename"):
        Annotations.from_arrays(["a"], ["x"], [0], columns={"label": [1.0]})


@pytest.mark.parametrize("wrong", ["task-1", 7, np.zeros((2, 2)), np.array(3)])
def test_a_column_that_is_none(wrong):
    with pytest.raises(LabelError, match="one column"):
        Annotations.from_arrays(wrong, ["x", "y"], [0, 1])


@pytest.mark.parametrize("option", [{"missing": "ignore"}, {"repeats": "mean"}, {"kind": "classes"}])
def test_an_unknown_option_value(option):
    with pytest.raises(ParameterError, match=next(iter(option.values()))):
        Annotations.from_arrays(["a"], ["x"], [0], **option)


def test_an_unknown_option():
    with pytest.raises(TypeError, match="repeat"):
        Annotations.from_arrays(["a"], ["x"], [0], repeat="first")


@pytest.mark.parametrize("kind", KINDS)
def test_frame_and_back(kind):
    table = build(kind)
    again = Annotations.from_frame(table.to_frame(), **crowds.options(kind), truth=crowds.TRUTHS[kind])
    assert again.with_annotator_features(table.annotator_features).equals(table)
