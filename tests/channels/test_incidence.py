"""The two sums against a slow obvious loop: blocks, pieces, weights, empty cells and units."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manyhands.channels import Incidence, Votes
from manyhands.channels import incidence as room
from manyhands.channels.sums import column_sums, steady_sum


def _votes(seed: int, n_votes: int, n_units: int, n_annotators: int, n_labels: int, soft: bool) -> Votes:
    rng = np.random.default_rng(seed)
    unit = np.sort(rng.integers(0, n_units, n_votes)).astype(np.int32)
    annotator = rng.integers(0, n_annotators, n_votes).astype(np.int32)
    label = rng.integers(0, n_labels, n_votes).astype(np.int32)
    weight = rng.random(n_votes).astype(np.float32) if soft else None
    return Votes(unit, annotator, label, weight, n_units, n_annotators, n_labels, n_labels)


def _compare(votes: Votes) -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(votes.n_annotators * votes.n_labels, 2))
    posterior = rng.random((votes.n_units, 2))
    units, cells = np.zeros((votes.n_units, 2)), np.zeros_like(table)
    for n in range(len(votes.unit)):
        weight = 1.0 if votes.weight is None else float(votes.weight[n])
        cell = votes.annotator[n] * votes.n_labels + votes.label[n]
        units[votes.unit[n]] += weight * table[cell]
        cells[cell] += weight * posterior[votes.unit[n]]
    found = Incidence(votes, torch.float64)
    got = np.full_like(units, np.nan)
    for part, block in found.to_units(torch.tensor(table)):
        got[part] = block.numpy()
    np.testing.assert_allclose(got, units, atol=1e-9)
    np.testing.assert_allclose(found.to_cells(torch.tensor(posterior)).numpy(), cells, atol=1e-9)


@given(
    seed=st.integers(0, 99), n_votes=st.integers(0, 60), n_units=st.integers(1, 9),
    n_annotators=st.integers(1, 4), n_labels=st.integers(1, 3), soft=st.booleans(),
)  # fmt: skip
def test_small(seed: int, n_votes: int, n_units: int, n_annotators: int, n_labels: int, soft: bool) -> None:
    _compare(_votes(seed, n_votes, n_units, n_annotators, n_labels, soft))


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("at_random", [1 << 21, 20])
def test_many_blocks_and_pieces(soft: bool, at_random: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "BLOCK", 7)
    monkeypatch.setattr(room, "PIECE", 5)
    monkeypatch.setattr(room, "AT_RANDOM", at_random)
    _compare(_votes(0, 500, 33, 3, 2, soft))


def test_a_busy_annotator_keeps_float64_precision() -> None:
    """Three million votes in one cell: added one by one in float32 they are off by percents."""
    n = 3_000_000
    one = np.zeros(n, dtype=np.int32)
    votes = Votes(np.arange(n, dtype=np.int32), one, one, None, n, 1, 1, 1)
    sums = Incidence(votes).to_cells(torch.full((n, 1), 0.1))
    assert sums.dtype == torch.float64
    assert sums.item() == pytest.approx(n * np.float64(np.float32(0.1)), rel=2e-5)


@given(st.integers(0, 5000), st.integers(1, 4))
def test_steady_sums(rows: int, columns: int) -> None:
    values = torch.tensor(np.random.default_rng(0).normal(size=(rows, columns)))
    np.testing.assert_allclose(column_sums(values).numpy(), values.numpy().sum(axis=0), atol=1e-9)
    assert steady_sum(values) == pytest.approx(float(values.numpy().sum()), abs=1e-9)
