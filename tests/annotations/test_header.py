import pytest

from manyhands.annotations import ALIASES, find_columns
from manyhands.errors import ParameterError

NONE = {"task": None, "annotator": None, "label": None}


@pytest.mark.parametrize("role", ALIASES)
def test_every_usual_name(role):
    for alias in ALIASES[role]:
        header = [alias.upper() + " ", *({"task", "annotator", "label"} - {role})]
        assert find_columns(header, **NONE)[role] == alias.upper() + " "


def test_the_first_in_order_of_preference():
    assert find_columns(["id", "item", "worker", "value", "label"], **NONE) == {
        "task": "item",
        "annotator": "worker",
        "label": "label",
    }


def test_a_column_that_is_given_is_not_taken_for_another():
    found = find_columns(["item", "id", "answer"], task=None, annotator="item", label=None)
    assert found == {"task": "id", "annotator": "item", "label": "answer"}


def test_one_column_for_two():
    with pytest.raises(ParameterError, match="two things"):
        find_columns(["a", "b", "label"], task="a", annotator="a", label=None)


def test_none():
    with pytest.raises(
        ParameterError,
        match=r"no column for the annotator: the columns are 'item', 'x'.*annotator=.*--columns annotator=NAME",
    ):
        find_columns(["item", "x"], **NONE)


def test_names_that_are_no_text():
    assert find_columns([0, 1, 2], task=0, annotator=1, label=2) == {"task": 0, "annotator": 1, "label": 2}
