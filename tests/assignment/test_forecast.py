"""Forecasts: against enumeration of posteriors, and against futures that came."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import beta

import manyhands as mh
from manyhands.assignment import forecast
from manyhands.assignment.forecast import _even
from manyhands.assignment.misled import misled_draws, of_consensus
from manyhands.assignment.rows import rows_of
from manyhands.assignment.sampling import posterior_draws
from manyhands.channels.votes import votes_of
from manyhands.errors import ParameterError, UnsupportedError


def fitted(redundancy=4, seed=0, **options):
    crowd = mh.simulate(
        "one-coin", n_tasks=200, n_annotators=10, n_classes=2, redundancy=redundancy, seed=seed, **options
    )
    method = mh.DawidSkene(right=4, wrong=1, class_prior="uniform", max_iter=50, tol=1e-4)
    return crowd, method


@pytest.mark.slow
def test_draws_of_truths_follow_the_posterior():
    """Two annotators who agree or not: the chance of each truth, by all truths and a grid of matrices."""
    labels = mh.Annotations.from_matrix([[0, 0]] * 8 + [[1, 1]] * 8 + [[0, 1]])
    known = rows_of(mh.DawidSkene(right=4, wrong=1, class_prior="uniform").fit(labels).result_, "this")
    draws = np.array([t for t, _ in posterior_draws(known, 500, np.random.default_rng(0))])
    share = (draws == 0).mean(axis=0)
    assert share[:8].mean() > 0.9
    assert share[8:16].mean() < 0.1
    assert share[16] == pytest.approx(0.5, abs=0.12)  # by symmetry


def test_even_purchases_fill_up_the_emptiest():
    labels = mh.Annotations.from_dict(
        {0: {"a": 0, "b": 0, "c": 1}, 1: {"a": 1}, 2: {"b": 0}, 3: {}}, classes=[0, 1]
    )
    votes, rng = votes_of(labels), np.random.default_rng(0)
    had = np.array([3, 1, 1, 0])
    for n in range(1, 12):
        now = had + np.bincount(_even(np.full((4, 2), 0.5), votes, n, rng), minlength=4)
        best = min(
            (list(had + np.array(add)) for add in itertools.product(range(n + 1), repeat=4) if sum(add) == n),
            key=lambda counts: sum(c * c for c in counts),
        )
        assert sorted(now) == sorted(best)


def test_gold_tells_how_many_tasks_mislead():
    """A grid against the conjugate Beta: a consensus that is always sure, and no mass at none."""
    right = np.arange(400) >= 80
    drawn = misled_draws((1.0, 1.0), np.ones(400), right, 10**9, 4000, np.random.default_rng(0))
    exact = beta(1 + 80, 1 + 320)
    assert np.quantile(drawn, [0.05, 0.5, 0.95]) == pytest.approx(exact.ppf([0.05, 0.5, 0.95]), abs=0.01)
    assert (misled_draws(None, np.ones(2), right[:2], 2, 5, np.random.default_rng(0)) == 0).all()
    assert of_consensus(1.0, 0.1, 2) == pytest.approx(0.9)
    assert of_consensus(0.8, 0.1, 3) == pytest.approx(0.8 * 0.9 + 0.1 * 0.2 / 2)


@pytest.mark.slow
def test_more_labels_buy_accuracy_and_gold_narrows_the_band():
    crowd, method = fitted()
    result = method.fit(crowd.labels).result_
    told = forecast(result, [400, 1200], draws=60, cost=0.5)
    assert told["labels"].to_list() == [0, 400, 1200]
    assert told["cost"].to_list() == [0, 200, 600]
    assert told["accuracy"].is_sorted()
    assert (told["low"] <= told["accuracy"]).all()
    gold = {crowd.labels.tasks[i]: int(crowd.truth[i]) for i in range(100)}
    checked = forecast(result, [1200], draws=60, gold=gold)
    assert (checked["high"] - checked["low"])[1] < (told["high"] - told["low"])[2]
    assert forecast(result, 100, draws=5, seed=2).equals(forecast(result, 100, draws=5, seed=2))
    doubt = forecast(result, [60], draws=100, choose="doubt", misled=None)
    even = forecast(result, [60], draws=100, misled=None)
    assert doubt["accuracy"][1] > even["accuracy"][1]


@pytest.mark.slow
def test_the_band_holds_what_came():
    """Of crowds that are as the model has them, at the level that it says."""
    held = []
    for seed in range(12):
        crowd, method = fitted(redundancy=8, seed=seed, accuracy=(0.6, 0.9))
        frame = (
            crowd.labels.to_frame()
            .sample(fraction=1, shuffle=True, seed=seed)
            .sort("task", maintain_order=True)
        )
        first = np.arange(len(frame)) % 8 < 3
        early = mh.Annotations.from_frame(
            frame.filter(first), classes=[0, 1], annotators=crowd.labels.annotators
        )
        told = forecast(method.fit(early), int((~first).sum()), draws=80, misled=None)
        truth = dict(zip(crowd.labels.tasks, crowd.truth, strict=True))
        for step, labels in enumerate((early, crowd.labels)):
            result = method.fit(labels).result_
            came = np.mean([result.posterior.best()[i] == truth[t] for i, t in enumerate(labels.tasks)])
            held.append(told["low"][step] <= came <= told["high"][step])
    assert np.mean(held) >= 0.75


def test_what_cannot_be_is_said():
    crowd, method = fitted(2)
    result = method.fit(crowd.labels).result_
    with pytest.raises(ParameterError, match="nowhere"):
        forecast(result, 5, draws=2, gold={"nowhere": 1})
    beyond = {crowd.labels.tasks[0]: "unheard of", crowd.labels.tasks[1]: 1}
    assert len(forecast(result, 5, draws=2, gold=beyond)) == 2
    for wrong in (
        {"gold": [1]},
        {"more": -1},
        {"more": 1.5},
        {"choose": "luck"},
        {"draws": 0},
        {"level": 1},
        {"misled": 3},
    ):
        with pytest.raises(ParameterError):
            forecast(result, **({"more": 5, "draws": 2} | wrong))
    numbers = mh.simulate("numbers", n_tasks=5, n_annotators=3, redundancy=2, seed=0)
    with pytest.raises(UnsupportedError, match="number"):
        forecast(mh.Mean().fit(numbers.labels), 5)
