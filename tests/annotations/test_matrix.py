import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manyhands.annotations import Annotations
from manyhands.errors import LabelError, ParameterError, UnknownClassError

from .crowds import answers


def slow(matrix, absent):
    return [(i, j, value) for i, row in enumerate(matrix) for j, value in enumerate(row) if not absent(value)]


@given(arrays(np.int8, (4, 3), elements=st.integers(-1, 3)))
def test_integers(matrix):
    assert answers(Annotations.from_matrix(matrix)) == slow(matrix.tolist(), lambda v: v == -1)
    floats = np.where(matrix == -1, np.nan, matrix)
    assert answers(Annotations.from_matrix(floats)) == slow(matrix.tolist(), lambda v: v == -1)
    assert answers(Annotations.from_matrix(matrix.tolist())) == slow(matrix.tolist(), lambda v: v == -1)


@pytest.mark.parametrize("nothing", [None, "", " ", float("nan"), -1])
def test_text(nothing):
    assert answers(Annotations.from_matrix([["a", nothing], ["b", "a"]])) == [
        (0, 0, "a"),
        (1, 0, "b"),
        (1, 1, "a"),
    ]


def test_text_in_an_array():
    assert answers(Annotations.from_matrix(np.array([["a", ""], ["-1", "a"]]))) == [
        (0, 0, "a"),
        (1, 0, "-1"),
        (1, 1, "a"),
    ]


@pytest.mark.parametrize("matrix", [[[-1, 2], [None, 3]], [[-1.0, 2.0], [np.nan, 3.0]]])
def test_minus_one_is_a_number_among_numbers(matrix):
    assert answers(Annotations.from_matrix(matrix, kind="number")) == [(0, 0, -1.0), (0, 1, 2.0), (1, 1, 3.0)]


def test_integers_as_numbers():
    assert answers(Annotations.from_matrix(np.array([[-1, 2]]), kind="number")) == [(0, 0, -1.0), (0, 1, 2.0)]


def test_booleans():
    assert answers(Annotations.from_matrix(np.array([[True, False]]))) == [(0, 0, True), (0, 1, False)]


def test_names_of_both_sides():
    table = Annotations.from_matrix([[0, 1]], tasks=["t"], annotators=["x", "y"], truth={"t": 1})
    assert answers(table) == [("t", "x", 0), ("t", "y", 1)]
    assert table.truths() == [1]


@pytest.mark.parametrize("side", ["tasks", "annotators"])
def test_too_few_names(side):
    with pytest.raises(ParameterError, match=f"{side}= has 1 names, but the matrix has 2"):
        Annotations.from_matrix([[0, 1], [1, 0]], **{side: ["one"]})


def test_an_error_names_the_place():
    with pytest.raises(UnknownClassError, match="label 2 in row 1, column 0 of the matrix") as error:
        Annotations.from_matrix([[0, 1], [2, 0]], classes=[0, 1])
    assert error.value.row == 1


@pytest.mark.parametrize("wrong", [[0, 1], np.zeros(3), np.zeros((1, 1, 1)), [[0, 1], [1]]])
def test_no_matrix(wrong):
    with pytest.raises(LabelError, match=r"dimensions|entries"):
        Annotations.from_matrix(wrong)


def test_silent_rows_and_columns_stay():
    table = Annotations.from_matrix([[-1, 0], [-1, -1]])
    assert (table.n_tasks, table.n_annotators, table.n_answers) == (2, 2, 1)


@pytest.mark.parametrize("empty", [[], np.empty((0, 3))])
def test_an_empty_matrix(empty):
    assert Annotations.from_matrix(empty).n_answers == 0
