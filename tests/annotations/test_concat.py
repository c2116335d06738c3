import numpy as np
import pytest

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, RepeatedAnswerError

from .crowds import KINDS, TASKS, answers, build


def key(row):
    return tuple(map(repr, row))


@pytest.mark.parametrize("kind", KINDS)
def test_parts_make_the_whole(kind):
    table = build(kind)
    whole = Annotations.concat([table[[2, 0]], table[[3, 1]]])
    assert whole.tasks.to_list() == ["t3", "t1", "t4", "t2"]
    assert whole.align(TASKS).equals(table)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_apart(kind):
    table = build(kind)
    mask = np.arange(table.n_answers) % 2 == 0
    whole = Annotations.concat([table.where(mask), table.where(~mask)])
    assert sorted(answers(whole), key=key) == sorted(answers(table), key=key)
    assert (whole.tasks, whole.truths()) == (table.tasks, table.truths())


def test_names_are_matched_by_name_not_by_code():
    one = Annotations.from_dict({"a": {"x": "p"}, "b": {"y": "q"}})
    two = Annotations.from_dict({"b": {"x": "q"}, "c": {"z": "p"}})
    assert answers(Annotations.concat([one, two])) == [
        ("a", "x", "p"),
        ("b", "y", "q"),
        ("b", "x", "q"),
        ("c", "z", "p"),
    ]


@pytest.mark.parametrize(("kind", "one", "two", "classes", "said"), [
    ("class", "p", "o", ["o", "p"], ["p", "o"]),
    ("tags", ["p", "q"], ["o", "q"], ["o", "p", "q"], [("p", "q"), ("o", "q")]),
    ("set", {"p"}, {"o", "q"}, ["o", "p", "q"], [frozenset("p"), frozenset("oq")]),
    ("soft", {"p": 1.0}, {"o": 0.25, "p": 0.75}, ["o", "p"], [(0.0, 1.0), (0.25, 0.75)]),
])  # fmt: skip
def test_the_union_of_classes(kind, one, two, classes, said):
    tables = [Annotations.from_dict({"t": {name: label, "silent": None}, name: {}}, kind=kind, missing="abstain")
              for name, label in (("x", one), ("y", two))]  # fmt: skip
    whole = Annotations.concat(tables, repeats="first")
    assert whole.classes.to_list() == classes
    assert [row[2] for row in answers(whole) if row[1] != "silent"] == said
    silent = next(row[2] for row in answers(whole) if row[1] == "silent")
    assert silent is None or set(silent) == {None}


def test_stated_orders_of_classes():
    def table(task, label, classes, kind="class"):
        return Annotations.from_dict({task: {"x": label}}, classes=classes, kind=kind)

    low, high = table("a", "low", ["low", "mid", "high"]), table("b", "high", ["low", "high"])
    assert Annotations.concat([low, high]).classes.to_list() == ["low", "mid", "high"]
    assert Annotations.concat([high, low]).classes.to_list() == ["low", "high", "mid"]  # as they come
    low, high = (table(t.tasks[0], t.classes[0], t.classes, "ordinal") for t in (low, high))
    assert Annotations.concat([high, low]).classes.to_list() == ["low", "mid", "high"]
    upside_down = table("c", "low", ["high", "low"], "ordinal")
    with pytest.raises(LabelError, match="same classes="):
        Annotations.concat([low, upside_down])
    with pytest.raises(LabelError, match="same classes="):
        Annotations.concat([low, table("c", "top", ["low", "top"], "ordinal")])


def test_repeated_answers():
    one, two = Annotations.from_dict({"t": {"x": "p"}}), Annotations.from_dict({"t": {"x": "q"}})
    with pytest.raises(RepeatedAnswerError):
        Annotations.concat([one, two])
    assert [row[2] for row in answers(Annotations.concat([one, two], repeats="last"))] == ["q"]
    assert [row[2] for row in answers(Annotations.concat([one, two], repeats="all"))] == ["p", "q"]


@pytest.mark.parametrize(("kind", "labels"), [("class", ["cat", "dog"]), ("number", [1.0, 2.0]), ("tags", [["B", "I", "O"], ["B", "I", "I"]]),
                                              ("set", [["x"], ["y"]]), ("soft", ["p", "q"])])  # fmt: skip
def test_truths_that_contradict(kind, labels):
    table = build(kind)
    one, two = (table[1:2].with_truth({"t2": label}) for label in labels)
    with pytest.raises(LabelError, match="task 't2' has two truths"):
        Annotations.concat([one, two], repeats="first")
    assert Annotations.concat([one, one], repeats="first").equals(one)


def test_truths_that_complete_each_other():
    table = build("set")[0:2]
    one, two = table.with_truth({"t1": {"x": True}}), table.with_truth({"t1": {"y": False}, "t2": ["z"]})
    assert Annotations.concat([one, two], repeats="first").truths() == [{"x": True, "y": False}, ["z"]]


def test_columns_that_all_have():
    one = Annotations.from_arrays(["a"], ["x"], [0], columns={"time": [1.0], "cost": [2.0]})
    two = Annotations.from_arrays(["b"], ["x"], [0], columns={"cost": [3.0]})
    whole = Annotations.concat([one, two])
    assert {name: values.tolist() for name, values in whole.columns.items()} == {"cost": [2.0, 3.0]}


def test_features_of_annotators():
    one = Annotations.from_dict({"a": {"x": 0, "y": 0}}).with_annotator_features([[1], [2]])
    two = Annotations.from_dict({"b": {"z": 0, "y": 0}}).with_annotator_features([[3], [2]])
    assert Annotations.concat([one, two]).annotator_features.tolist() == [[1], [2], [3]]
    with pytest.raises(LabelError, match="'y' has two rows of features"):
        Annotations.concat([one, two.with_annotator_features([[3], [4]])])
    with pytest.raises(LabelError, match="1, 2 features"):
        Annotations.concat([one, two.with_annotator_features([[3, 1], [4, 1]])])
    bare = Annotations.from_dict({"b": {"z": 0}})
    assert Annotations.concat([one, bare]).annotator_features is None


@pytest.mark.parametrize(
    ("tables", "says"), [([], "at least one"), ([build("class"), build("number")], "class, number")]
)
def test_what_does_not_go_together(tables, says):
    with pytest.raises(LabelError, match=says):
        Annotations.concat(tables)


def test_text_and_integers_do_not_go_together():
    with pytest.raises(LabelError, match="text"):
        Annotations.concat([Annotations.from_dict({"a": {"x": 0}}), Annotations.from_dict({"b": {"x": "0"}})])
    with pytest.raises(LabelError, match=r"text|types"):
        Annotations.concat([Annotations.from_dict({"a": {"x": 0}}), Annotations.from_dict({1: {"x": 0}})])


def test_one_pass_over_any_iterable():
    assert Annotations.concat(build("class")[i] for i in range(4)).equals(build("class"))


def test_one_table():
    assert Annotations.concat([build("tags")]).equals(build("tags"))
