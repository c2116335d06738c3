"""Annotators to keep, train or drop: against the matrices that a crowd was drawn with."""

from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.assignment import annotators
from manyhands.assignment.information import information
from manyhands.errors import ParameterError, UnsupportedError


def crowd_of(table, n_tasks=600, redundancy=5, seed=0):
    """Labels drawn by hand from these matrices; classes evenly."""
    rng = np.random.default_rng(seed)
    n_classes = table.shape[1]
    truth = rng.integers(n_classes, size=n_tasks)
    answers = {
        i: {f"a{j}": int(rng.choice(n_classes, p=table[j, truth[i]]))
            for j in rng.choice(len(table), redundancy, replace=False)}
        for i in range(n_tasks)
    }  # fmt: skip
    return mh.Annotations.from_dict(answers, annotators=[f"a{j}" for j in range(len(table))])


def coin(p):
    return np.array([[p, 1 - p], [1 - p, p]])


def test_the_good_are_kept_spammers_dropped_and_habits_trained():
    always, against = np.array([[0.95, 0.05], [0.95, 0.05]]), coin(0.1)
    table = np.stack([coin(0.85)] * 6 + [coin(0.5), always, against])
    told = annotators(mh.DawidSkene(right=2, wrong=1).fit(crowd_of(table)))
    assert told["advice"].to_list() == ["keep"] * 6 + ["drop", "drop", "train"]
    assert told["readable"][8] > 0.8 > told["accuracy"][8]


def test_who_has_said_little_is_unsure():
    """A crowd whose members differ says little of a new one; of a crowd of twins it would."""
    labels = crowd_of(np.stack([coin(p) for p in (0.95, 0.9, 0.85, 0.8, 0.5, 0.5, 0.5)]))
    labels = mh.Annotations.concat(
        [labels, mh.Annotations.from_dict({0: {"new": 1}, 1: {"new": 0}}, classes=[0, 1])]
    )
    told = annotators(mh.DawidSkene(right=2, wrong=1).fit(labels))
    assert told["advice"].to_list()[:4] == ["keep"] * 4
    assert (told["advice"][7], told["n"][7]) == ("unsure", 2)


def test_dear_annotators_must_tell_more():
    labels = crowd_of(np.stack([coin(0.85)] * 7))
    told = annotators(mh.DawidSkene(right=2, wrong=1).fit(labels), cost={"a3": 10})
    assert told["advice"].to_list() == ["keep"] * 3 + ["drop"] + ["keep"] * 3
    assert told["cost"][3] == 10


@pytest.mark.slow
def test_the_intervals_hold_the_truth():
    rng, held = np.random.default_rng(5), []
    for seed in range(8):
        table = np.stack([coin(p) for p in rng.uniform(0.55, 0.95, 12)])
        told = annotators(mh.DawidSkene(right=2, wrong=1).fit(crowd_of(table, 300, seed=seed)), level=0.9)
        real = information(np.array([[0.5, 0.5]]), table)[0]
        held += [
            low <= x <= high
            for x, low, high in zip(real, told["information_low"], told["information_high"], strict=True)
        ]
    assert 0.8 < np.mean(held) <= 1


def test_numbers_are_judged_by_precision_and_bias():
    rng = np.random.default_rng(0)
    truth, sd, bias = (
        rng.normal(size=300),
        np.array([0.3, 0.3, 0.3, 0.3, 3.0, 0.3]),
        np.array([0, 0, 0, 0, 0, 0.6]),
    )
    given = truth[:, None] + bias + rng.normal(size=(300, 6)) * sd
    told = annotators(mh.PrecisionWeighted().fit(mh.Annotations.from_matrix(given, kind="number")))
    assert told["advice"][4] == "drop"
    assert told["advice"][5] == "train"
    assert set(told["advice"][:4]) == {"keep"}


@pytest.mark.slow
def test_the_seed_decides_and_the_rest_is_refused():
    model = mh.DawidSkene(right=2, wrong=1).fit(crowd_of(np.stack([coin(0.8)] * 5), 60, 3))
    assert annotators(model, seed=3).equals(annotators(model, seed=3))
    for wrong in ({"level": 1}, {"drop": 2}, {"cost": {"zoe": 1}}):
        with pytest.raises(ParameterError):
            annotators(model, **wrong)
    tags = mh.Annotations.from_dict({"t1": {"ann": ["x", "y"], "bob": ["x", "x"]}}, kind="tags")
    with pytest.raises(UnsupportedError, match="tags"):
        annotators(mh.DawidSkene(right=2, wrong=1).fit(tags))
