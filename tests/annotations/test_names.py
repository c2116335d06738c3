import copy
import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.annotations import Names, sorted_names
from manyhands.errors import LabelError

LISTS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True),
    st.lists(st.integers(0, 30), unique=True),
    st.lists(st.text(), unique=True),
    st.lists(st.tuples(st.integers(), st.text()), unique=True),
    st.lists(st.integers(), unique=True),
    st.integers(0, 9).map(lambda n: list(range(n))),
)


@given(LISTS, st.data())
def test_as_a_list_and_a_dictionary(values, data):
    names = Names(values)
    place = {value: code for code, value in enumerate(values)}
    assert names.to_list() == list(names) == values
    assert len(names) == len(values)
    asked = data.draw(st.lists(st.sampled_from(values))) if values else []
    assert names.codes(asked).tolist() == [place[value] for value in asked]
    assert names.codes(np.array(asked) if asked and isinstance(asked[0], str) else asked).dtype == np.int32
    for code, value in enumerate(values):
        assert names[code] == value
        assert names.position(value) == code
        assert value in names
    chosen = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True)) if values else []
    assert names.take(np.array(chosen, dtype=int)).to_list() == [values[i] for i in chosen]
    for again in (pickle.loads(pickle.dumps(names)), copy.deepcopy(names), Names(names), Names(values)):
        assert again == names
        assert hash(again) == hash(names)


@given(LISTS, LISTS)
def test_union(one, two):
    whole = Names(one).union(Names(two))
    assert whole.to_list() == list(dict.fromkeys([*one, *two]))
    assert whole.codes(Names(two)).tolist() == [whole.to_list().index(value) for value in two]


@given(st.lists(st.integers(-5, 40)), st.lists(st.integers(-10, 50), unique=True, min_size=1),
       st.sampled_from([pl.Int8, pl.Int32, pl.Int64, pl.UInt8]))  # fmt: skip
def test_codes_of_any_width(column, values, dtype):
    column = [value for value in column if value >= 0 or dtype != pl.UInt8]
    expected = [values.index(value) if value in values else -1 for value in column]
    assert Names(values).codes(pl.Series(column, dtype=dtype)).tolist() == expected
    assert Names(values).codes(pl.Series([*column, None], dtype=dtype)).tolist() == [*expected, -1]
    assert Names.range(20).codes(pl.Series(column, dtype=dtype)).tolist() == [
        v if 0 <= v < 20 else -1 for v in column
    ]


def test_scattered_integers():
    assert Names([10**12, 5, -(10**12)]).codes([5, 6, 10**12, 10**15]).tolist() == [1, -1, 0, -1]


def test_text_and_integers_never_match():
    assert (
        Names(["1"]).codes([1]).tolist()
        == Names([1]).codes(["1"]).tolist()
        == Names.range(2).codes(["1"]).tolist()
        == [-1]
    )
    assert 1 not in Names(["1"])
    assert [] not in Names(["1"])


@pytest.mark.parametrize(
    ("values", "twice"), [(["a", "b", "a"], "'a'"), ([1, 1], "1"), ([(1,), (1,)], r"\(1,\)")]
)
def test_repeats(values, twice):
    with pytest.raises(LabelError, match=f"tags must be distinct, but {twice} occurs twice") as error:
        Names(values, "tags")
    assert error.value.row == len(values) - 1
    with pytest.raises(LabelError, match="distinct"):
        Names(["a", "b"]).take(np.array([0, 0]))


def test_an_unknown_name():
    with pytest.raises(KeyError):
        Names(["a"]).position("b")


def test_text_is_no_list():
    with pytest.raises(LabelError, match=r"write \['cat'\]"):
        Names("cat")


def test_what_equals():
    assert Names.range(2) == Names([0, 1]) == Names(pl.Series([0, 1], dtype=pl.Int8))
    assert Names(["a"]) != Names(["b"])
    assert Names(["0"]) != Names([0])
    assert Names([]) == Names.range(0)
    assert Names(["a"]) != ["a"]


@pytest.mark.parametrize(("values", "ordered"), [(["b", "a"], ["a", "b"]), (["10", "9", "-2"], ["-2", "9", "10"]), (["01", "1"], ["01", "1"]),
                                                 (["1.5", "1", "-.5"], ["-.5", "1", "1.5"]), (["10", "9", "x"], ["10", "9", "x"]),
                                                 ([(2, "a"), (1, "b")], [(1, "b"), (2, "a")]), ([], [])])  # fmt: skip
def test_sorted_names(values, ordered):
    assert sorted_names(Names(values)).to_list() == ordered
    assert sorted_names(Names(values[::-1])).to_list() == ordered
