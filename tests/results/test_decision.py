"""Decisions by expected cost equal the sums written out."""

from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import ParameterError


@pytest.fixture
def result() -> mh.Result:
    rng = np.random.default_rng(0)
    table = mh.Annotations.from_matrix(rng.integers(-1, 5, (60, 7)), kind="ordinal", classes=list(range(5)))
    return mh.MajorityVote().fit(table).result_


@pytest.mark.parametrize(("cost", "power"), [("absolute", 1), ("squared", 2)])
def test_least_expected_cost_by_brute_force(result: mh.Result, cost: str, power: int) -> None:
    frame = result.consensus(cost=cost)
    for row, chances in zip(frame.iter_rows(named=True), result.chances, strict=True):
        prices = [sum(p * abs(d - k) ** power for k, p in enumerate(chances)) for d in range(5)]
        assert row["expected_cost"] == pytest.approx(min(prices), abs=1e-6)
        assert prices[row["label"]] == pytest.approx(min(prices), abs=1e-6)
        assert row["confidence"] == pytest.approx(chances[row["label"]])


def test_absolute_is_a_median_and_squared_is_near_the_mean(result: mh.Result) -> None:
    chances, place = result.chances.astype(float), np.arange(5)
    middle = result.consensus(cost="absolute")["label"].to_numpy()
    below = [c[: m + 1].sum() for c, m in zip(chances, middle, strict=True)]
    above = [c[m:].sum() for c, m in zip(chances, middle, strict=True)]
    assert min(*below, *above) >= 0.5 - 1e-6
    mean = result.consensus(cost="squared")["label"].to_numpy()
    assert np.abs(mean - chances @ place).max() <= 0.5 + 1e-6


def test_a_matrix_of_costs_and_the_estimators_own_face() -> None:
    table = mh.Annotations.from_matrix([["no", "no", "yes"], ["no", "yes", "yes"]])
    model = mh.MajorityVote().fit(table)
    assert model.predict(cost=[[0, 5], [1, 0]]).tolist() == ["yes", "yes"]
    assert model.predict().tolist() == ["no", "yes"]
    assert model.result_.tasks(cost=[[0, 5], [1, 0]])["label"].to_list() == ["yes", "yes"]


@pytest.mark.parametrize("cost", ["quadratic", [[0, 1]], [[0, np.inf], [1, 0]], "squared", 3, [["a"]]])
def test_what_is_no_cost_is_told(cost: object) -> None:
    result = mh.MajorityVote().fit(mh.Annotations.from_matrix([[0, 1], [1, 1]])).result_
    with pytest.raises(ParameterError, match="cost="):
        result.consensus(cost=cost)


def test_numbers_have_no_classes_to_decide_between() -> None:
    result = mh.Mean().fit(mh.Annotations.from_matrix([[0.5, 1.0]], kind="number")).result_
    with pytest.raises(ParameterError, match=r"cost='absolute'.*number"):
        result.consensus(cost="absolute")
