import json

import pytest

from manyhands.annotations import Annotations

from .crowds import KINDS, build


def test_counts():
    found = build("class").summary()
    assert (found.tasks, found.annotators, found.answers, found.abstentions) == (4, 4, 5, 1)
    assert found.classes == {"cat": 3, "dog": 1, "emu": 0}
    assert found.answers_a_task == (0, 1.25, 2)
    assert found.answers_an_annotator == (0, 1.25, 2)
    assert (found.silent_annotators, found.unanswered_tasks, found.known_truths) == (1, 1, 2)
    assert found.columns == ("time",)


@pytest.mark.parametrize(("kind", "classes"), [("ordinal", {1: 2, 2: 1, 3: 1}), ("number", None), ("tags", {"B": 4, "I": 1, "O": 4}),
                                               ("set", {"x": 1, "y": 1, "z": 2}), ("soft", {"p": 2, "q": 2})])  # fmt: skip
def test_classes(kind, classes):
    assert build(kind).summary().classes == classes


@pytest.mark.parametrize("kind", KINDS)
def test_known_truths_and_abstentions(kind):
    table = build(kind)
    found = table.summary()
    assert found.known_truths == sum(truth is not None for truth in table.truths())
    assert found.abstentions == 1


@pytest.mark.parametrize("kind", KINDS)
def test_as_data_and_as_text(kind):
    found = build(kind).summary()
    assert json.loads(json.dumps(found.to_dict()))["answers"] == found.answers
    assert f"kind                  {kind}" in str(found)
    assert "answers a task" in str(found)


def test_of_nothing():
    found = Annotations.from_arrays([], [], []).summary()
    assert found.answers_a_task == (0, 0.0, 0)
