"""Ids as codes, against a dictionary."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.io.coding import code

WIDTHS = {pl.Int8: (-128, 127), pl.UInt8: (0, 255), pl.Int16: (-(2**15), 2**15 - 1), pl.UInt32: (0, 2**32 - 1),
          pl.Int64: (-(2**63), 2**63 - 1)}  # fmt: skip


def slowly(values: list[int]) -> tuple[list[int], list[int]]:
    names = list(dict.fromkeys(values))
    return names, [names.index(value) for value in values]


@pytest.mark.parametrize("dtype", WIDTHS, ids=str)
@given(data=st.data())
def test_integers_of_every_width(dtype: type[pl.DataType], data: st.DataObject) -> None:
    low, high = WIDTHS[dtype]
    near = st.integers(-5, 5).map(lambda i: i if i >= 0 or low < 0 else high + i)
    values = data.draw(st.lists(st.sampled_from([low, high]) | near | st.integers(low, high), min_size=1))
    coded = code(pl.Series(values, dtype=dtype))
    assert coded is not None
    assert (coded.names.to_list(), coded.codes.tolist()) == slowly(values)


@given(st.lists(st.integers(2**40, 2**40 + 9), min_size=1))
def test_a_short_range_far_from_zero(values: list[int]) -> None:
    coded = code(pl.Series(values))
    assert coded is not None
    assert (coded.names.to_list(), coded.codes.tolist()) == slowly(values)
