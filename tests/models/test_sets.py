"""Classifiers on sets of labels: every one that the catalogue promises, and what the crowd was made of."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, cross_val_score

import manyhands as mh
from manyhands.catalog import CLASSIFIERS
from manyhands.errors import ParameterError, UnsupportedError

SETS = [name for name, entry in CLASSIFIERS.items() if "set" in entry.kinds]
SHORT = {"epochs": 2, "rounds": 1, "steps": 3, "fine_tuning": 1, "n_points": 20, "restarts": 1, "n_init": 1}


@cache
def crowd(n_tasks: int = 60, **options: Any) -> Any:
    return mh.simulate(
        "sets", n_tasks=n_tasks, n_annotators=6, n_classes=3, redundancy=3, n_features=4, seed=0, **options
    )


def make(name: str) -> Any:
    model = CLASSIFIERS[name].make()
    known = model.get_params(deep=False)
    return model.set_params(**{key: value for key, value in SHORT.items() if key in known})


@pytest.mark.parametrize("name", SETS)
@pytest.mark.slow
def test_what_every_one_gives_and_keeps(name: str, tmp_path: Path) -> None:
    made = crowd()
    model = make(name).fit(made.features, made.labels)
    chances, said = model.predict_proba(made.features), model.predict(made.features)
    assert chances.shape == (60, 3)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal([[k in s for k in range(3)] for s in said], chances > 0.5)
    assert model.result_.chances.shape == (180, 2)
    assert model.result_.consensus()["label"].dtype.is_nested()
    assert np.isfinite(model.score(made.features, made.labels))
    for twin in (mh.load(model.save(tmp_path)), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict_proba(made.features), chances)
        np.testing.assert_array_equal(twin.result_.chances, model.result_.chances)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crowd-classifier", "speelfc", "deep-em", "lia-ml"])
def test_right_more_often_than_the_majority(name: str) -> None:
    """Of two votes that differ the annotators' rates and the features decide."""
    made = mh.simulate("sets", n_tasks=800, n_annotators=6, n_classes=3, redundancy=2, n_features=4, seed=0)
    model = CLASSIFIERS[name].make()
    if name == "lia-ml":
        model.set_params(rounds=4, steps=80, fine_tuning=40, learning_rate=5e-3)
    model.fit(made.features, made.labels)
    truth = made.truth.reshape(800, 3)
    majority = mh.MajorityVote().fit(made.labels).predict_proba()[:, 1].reshape(800, 3)
    ours = model.result_.chances[:, 1].reshape(800, 3)
    assert ((ours > 0.5) == truth).mean() > ((majority > 0.5) == truth).mean() + 0.05
    alone = ((model.predict_proba(made.features) > 0.5) == truth).mean()
    assert alone > np.maximum(truth.mean(axis=0), 1 - truth.mean(axis=0)).mean() + 0.05


@pytest.mark.slow
def test_the_annotators_rates_are_recovered() -> None:
    """Sensitivity and specificity alike for all labels: 1200 yes or no an annotator and truth."""
    made = mh.simulate(
        "sets", n_tasks=1200, n_annotators=5, n_classes=4, redundancy=3, n_features=4, seed=2,
        prevalence=(0.3, 0.5), sensitivity=(0.75, 0.7501), specificity=(0.9, 0.9001),
    )  # fmt: skip
    model = mh.CrowdClassifier("linear", epochs=25, learning_rate=1e-2, objective="em")
    found = model.fit(made.features, made.labels).channel_.confusions().numpy()
    np.testing.assert_allclose(found[:, 1, 1], 0.75, atol=0.05)
    np.testing.assert_allclose(found[:, 0, 0], 0.9, atol=0.04)


@pytest.mark.slow
def test_a_label_that_was_not_asked_about_is_no_no() -> None:
    """Label b is asked of half the answers, and then always there."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    answers = {}
    for i in range(200):
        asked = {"a": bool(x[i, 0] > 0)} | ({"b": True} if i % 2 else {})
        answers[i] = dict.fromkeys(("ann", "bob"), asked)
    labels = mh.Annotations.from_dict(answers, kind="set", classes=["a", "b"])
    model = mh.CrowdClassifier("linear", epochs=30, learning_rate=3e-2).fit(x, labels)
    assert model.predict_proba(x)[:, 1].min() > 0.8
    assert model.result_.votes.total == 600


def test_scores_of_annotations_and_of_gold() -> None:
    made = crowd()
    model = make("crowd-classifier").fit(made.features, made.labels)
    f, T = model.predict_proba(made.features), model.channel_.confusions().numpy()
    rows = made.labels.rows
    p = f.ravel()[rows.unit]
    logs = np.log(p * T[rows.annotator, 1, rows.label] + (1 - p) * T[rows.annotator, 0, rows.label])
    assert model.score(made.features, made.labels) == pytest.approx(logs.mean(), abs=1e-5)
    gold = made.truth.reshape(60, 3)
    exact = accuracy_score(gold, f > 0.5)  # scikit-learn's: the whole set must be right
    assert model.score(made.features, gold) == pytest.approx(exact)
    assert model.score(made.features, [np.flatnonzero(row).tolist() for row in gold]) == pytest.approx(exact)


def test_scikit_learn_can_cross_validate() -> None:
    made = crowd()
    found = cross_val_score(
        make("crowd-classifier"), made.features, made.labels, cv=KFold(3), error_score="raise"
    )
    assert np.isfinite(found).all()
    assert clone(mh.LIAML(label_embedding=3)).label_embedding == 3


def test_going_on_early_stopping_and_weights() -> None:
    made = crowd()
    model = mh.CrowdClassifier("linear", epochs=4, validation_fraction=0.2, patience=2)
    model.fit(made.features, made.labels, sample_weight=np.ones(60)).partial_fit(made.features, made.labels)
    assert len(model.history_) in (4, 5)
    plain = mh.CrowdClassifier("linear", epochs=2).fit(made.features, made.labels)
    half = mh.CrowdClassifier("linear", epochs=2)
    half.fit(made.features, made.labels, sample_weight=np.repeat([1.0, 0.0], 30))
    assert not np.array_equal(half.predict_proba(made.features), plain.predict_proba(made.features))
    with pytest.raises(ParameterError, match="sample_weight has shape"):
        half.fit(made.features, made.labels, sample_weight=np.ones(7))


def test_a_network_of_ones_own() -> None:
    made = crowd()
    model = mh.CrowdClassifier(torch.nn.Linear(4, 3), epochs=2).fit(made.features, made.labels)
    assert model.predict_proba(made.features).shape == (60, 3)
    with pytest.raises(ParameterError, match=r"gives 2 outputs a task.*each of the 3 labels"):
        mh.CrowdClassifier(torch.nn.Linear(4, 2), epochs=2).fit(made.features, made.labels)
    with pytest.raises(UnsupportedError, match="OneVsRest"):
        mh.DeepEM(LogisticRegression()).fit(made.features, made.labels)


def test_known_truths_are_certain() -> None:
    made = crowd()
    gold = {task: {0: bool(made.truth[3 * i])} for i, task in enumerate(made.labels.tasks) if i < 20}
    model = make("crowd-classifier").fit(made.features, made.labels.with_truth(gold))
    np.testing.assert_array_equal(model.result_.chances[0:60:3, 1], made.truth[0:60:3])
