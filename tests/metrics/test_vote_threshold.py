from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

from manyhands.metrics import vote_threshold


def by_hand(unit: np.ndarray, yes: np.ndarray, t: float) -> float:
    """Every vote held out in turn; one drawn from its case takes its place, and decides the side."""
    n = {i: int((unit == i).sum()) for i in unit}
    case = [(n[i], int(yes[unit == i].sum()) - int(said)) for i, said in zip(unit, yes, strict=True)]
    rate = {c: np.mean([said for d, said in zip(case, yes, strict=True) if d == c]) for c in case}
    vote, weight, side = [], [], []
    for c, said in zip(case, yes, strict=True):
        if c[0] == 1:
            continue
        for drawn, chance in ((1, rate[c]), (0, 1 - rate[c])):
            vote.append(int(said))
            weight.append(chance)
            side.append((c[1] + drawn) / c[0] > t + 1e-9)
    told, weights, above = np.array(vote), np.array(weight), np.array(side)
    predicted = np.zeros(len(told))
    for part in (above, ~above):
        predicted[part] = np.average(told[part], weights=weights[part]) if weights[part].sum() else 0.5
    return float(log_loss(told, predicted, labels=[0, 1], sample_weight=weights))


def test_the_loss_is_that_of_votes_held_out_one_by_one() -> None:
    rng = np.random.default_rng(0)
    unit = np.sort(rng.integers(0, 12, 50))
    yes = rng.random(50) < np.linspace(0.1, 0.9, 12)[unit]
    found = vote_threshold(unit, yes, 12)
    assert len(found.tried) > 5
    for t, loss in zip(found.tried, found.loss, strict=True):
        assert loss == pytest.approx(by_hand(unit, yes, t), abs=1e-9)
    assert found.loss.min() == pytest.approx(by_hand(unit, yes, found.threshold), abs=1e-9)


def test_a_half_where_nothing_speaks_for_another() -> None:
    assert vote_threshold(np.arange(4), np.array([1, 0, 1, 0]), 4).threshold == 0.5  # one vote each
    assert vote_threshold(np.zeros(0, dtype=int), np.zeros(0), 3).threshold == 0.5
    units = np.repeat(np.arange(40), 5)
    sure = np.repeat(np.arange(40) % 2, 5)  # all agree: any threshold will do
    assert vote_threshold(units, sure, 40).threshold == 0.5
