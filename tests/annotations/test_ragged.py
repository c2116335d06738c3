import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from manyhands.annotations import group, starts_of
from manyhands.annotations.ragged import ascends, blocks, counts, group_values, segment_index

KEYS = st.lists(st.integers(0, 6)).map(lambda keys: np.array(keys, dtype=np.int32))


@given(KEYS)
def test_group(keys):
    order, starts, values = group_values(keys, 7, keys * 10 + 1)
    assert order.tolist() == sorted(range(len(keys)), key=lambda n: keys[n])  # stable
    assert starts.tolist() == [int((keys < key).sum()) for key in range(8)]
    assert values.tolist() == [keys[n] * 10 + 1 for n in order]
    assert [part.tolist() for part in group(keys, 7)] == [order.tolist(), starts.tolist()]


@given(KEYS)
def test_counts_and_order(keys):
    assert counts(keys, 7).tolist() == [keys.tolist().count(key) for key in range(7)]
    assert ascends(keys) == (keys.tolist() == sorted(keys.tolist()))


@given(st.lists(st.lists(st.integers()), min_size=1), st.data())
def test_segments(parts, data):
    flat = [value for part in parts for value in part]
    chosen = data.draw(st.lists(st.sampled_from(range(len(parts)))))
    index, starts = segment_index(starts_of(np.array([len(p) for p in parts])), np.array(chosen, dtype=int))
    assert [flat[i] for i in index] == [value for k in chosen for value in parts[k]]
    assert np.diff(starts).tolist() == [len(parts[k]) for k in chosen]


def test_long_arrays_go_in_blocks(monkeypatch):
    monkeypatch.setattr("manyhands.annotations.ragged.BLOCK", 2)
    assert counts(np.array([1, 0, 1, 1, 0]), 2).tolist() == [2, 3]
    assert [part.stop - part.start for part in blocks(5, 2)] == [2, 2, 1]
    assert list(blocks(0, 2)) == []
