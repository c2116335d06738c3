from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manyhands.annotations import Annotations
from manyhands.errors import UnsupportedError

from .crowds import KINDS, build


@given(arrays(np.int8, (5, 4), elements=st.integers(-1, 3)))
def test_the_majority(matrix):
    table = Annotations.from_matrix(matrix, classes=[0, 1, 2, 3])
    for row, winner in zip(matrix, np.asarray(table), strict=True):
        votes = Counter(row[row >= 0].tolist())
        assert winner == (min(votes, key=lambda label: (-votes[label], label)) if votes else 0)


def test_the_mean():
    means = np.asarray(build("number"))
    assert np.array_equal(means, [2.625, 0.75, np.nan, np.nan], equal_nan=True)


def test_types_of_the_majority():
    assert np.asarray(build("class")).tolist() == ["cat", "cat", "cat", "cat"]
    assert np.asarray(Annotations.from_matrix([[3.0]])).dtype.kind == "i"
    assert np.asarray(Annotations.from_matrix([[3]]), dtype=float).tolist() == [3.0]
    assert np.asarray(Annotations.from_matrix([[True]])).dtype.kind == "b"
    assert np.asarray(Annotations.from_arrays(["a"], ["x"], [(1, 2)])).tolist() == [(1, 2)]
    assert np.asarray(Annotations.from_arrays(["a"], ["x"], [None], missing="abstain")).tolist() == [None]


@pytest.mark.parametrize("kind", ["tags", "set", "soft"])
def test_no_majority(kind):
    with pytest.raises(UnsupportedError, match=kind):
        np.asarray(build(kind))


def test_to_frame():
    frame = build("class").to_frame()
    assert frame.columns == ["task", "annotator", "label", "time"]
    assert frame["label"].to_list() == ["cat", "cat", "dog", "cat", None]
    assert build("number").to_frame()["label"].to_list() == [-2.0, 7.25, 1.5, 0.0, None]
    assert build("tags").to_frame()["label"].to_list()[3] == ["O", None, "B"]
    assert build("soft").to_frame()["label"].dtype == pl.Struct({"p": pl.Float64, "q": pl.Float64})


def test_what_equals():
    for kind in KINDS:
        table = build(kind)
        assert table.equals(build(kind))
        others = [table[:2], table.with_truth({}), table.where(np.arange(table.n_answers) > 0), table[::-1],
                  table.with_annotator_features(np.zeros((4, 2))), build(kind, annotators=["ann", "bob", "cid", "eve"])]  # fmt: skip
        assert not any(table.equals(other) for other in others)


def test_repr():
    assert (
        repr(build("class"))
        == "Annotations(kind='class', 4 tasks, 4 annotators, 5 answers, classes=['cat', 'dog', 'emu'])"
    )
    assert "classes" not in repr(build("number"))
    many = Annotations.from_matrix([list(range(9))])
    assert repr(many.classes) == "Names([0, 1, 2, 3, 4, 5, ... 9 in all])"
    long = Annotations.from_matrix([["a" * 99, "b"]])
    assert len(repr(long)) < 140
