"""Posteriors against crowd-kit on real crowds, where both are at hand."""

from __future__ import annotations

import pytest
from benchmarks.equality import TOLERANCE, compare
from benchmarks.peers import NEEDED, peer_python

from benchmarks import real_crowds

# On these every annotator has met every class, so there is one right answer.
ALIKE = ("bluebirds", "dog", "rte", "sentiment-500", "temporal-order", "wsd")
APART = ("labelme", "reuters")  # rows of confusion matrices that no vote informs
ITERATIONS = (1, 5, 20)

pytestmark = pytest.mark.slow


def crowd(name: str) -> real_crowds.Crowd:
    if peer_python() is None:
        pytest.skip(NEEDED)
    if real_crowds.data_folder() is None:
        pytest.skip(real_crowds.NEEDED)
    return next(real_crowds.class_crowds((name,)))


@pytest.mark.parametrize("name", ALIKE)
def test_equal_to_the_peer(name: str) -> None:
    rows = list(compare(crowd(name), ITERATIONS))
    assert len(rows) == 2 * len(ITERATIONS)
    for row in rows:
        assert row["float64"] < TOLERANCE, row
        assert row["float32"] < TOLERANCE, row


@pytest.mark.parametrize("name", APART)
def test_different_only_by_the_rule_for_empty_rows(name: str) -> None:
    rows = [row for row in compare(crowd(name), ITERATIONS) if "ours, our rule" in row]
    assert rows
    for row in rows:
        assert row["ours, our rule"] < TOLERANCE, row
        assert row["crowd-kit, its rule"] < TOLERANCE, row
