"""TwoStage against scikit-learn: aggregate, then logistic regression on rows weighted by the chances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import manyhands as mh
from manyhands.catalog import CLASSIFIERS, METHODS, method, methods_for
from manyhands.errors import ParameterError
from manyhands.models import DawidSkene, MajorityVote, TwoStage

CROWD = mh.simulate("confusion", n_tasks=200, n_annotators=5, n_classes=3, n_features=3, redundancy=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels


def trained(**options: Any) -> TwoStage:
    given = {"epochs": 300, "learning_rate": 0.02, "batch_size": 1000} | options
    return TwoStage("linear", **given)


def regression(q: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    rows, labels = np.repeat(X, 3, axis=0), np.tile(np.arange(3), len(X))
    share = q * (1.0 if weight is None else weight[:, None])
    return LogisticRegression(C=1e8, max_iter=2000).fit(rows, labels, share.ravel()).predict_proba(X)


@pytest.mark.parametrize("aggregator", ["majority", "dawid-skene", "one-coin"])
@pytest.mark.slow
def test_soft_labels_are_weighted_rows(aggregator: str) -> None:
    q = METHODS[aggregator].make().fit(LABELS).predict_proba()
    model = trained(aggregator=aggregator).fit(X, LABELS)
    np.testing.assert_allclose(model.predict_proba(X), regression(q), atol=0.01)


def test_hard_labels_are_the_winners_evenly_among_ties() -> None:
    q = MajorityVote(voting="hard").fit(LABELS).predict_proba()
    model = trained(soft=False).fit(X, LABELS)
    np.testing.assert_allclose(model.predict_proba(X), regression(q), atol=0.01)


def test_tasks_without_labels_and_without_weight_count_nothing() -> None:
    part = LABELS.where(LABELS.task < 120)
    q = MajorityVote().fit(part).predict_proba()
    weight = np.where(np.arange(200) % 3 == 0, 0.0, 2.0)
    model = trained().fit(X, part, sample_weight=weight)
    expected = regression(q, weight * (np.arange(200) < 120))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=0.01)


def test_an_estimator_is_copied_and_known_truths_are_known() -> None:
    aggregator = DawidSkene(shared=10.0)
    gold = LABELS.with_truth((LABELS.tasks.to_list()[:50], CROWD.truth[:50].tolist()))
    model = trained(aggregator=aggregator, epochs=2).fit(X, gold)
    assert not hasattr(aggregator, "result_")
    assert model.aggregator_.get_params()["shared"] == 10.0
    voted = trained(epochs=2).fit(X, gold)
    assert (voted.learner_.shares[:50].argmax(dim=1).numpy() == CROWD.truth[:50]).all()


def test_matrices_are_counted_against_the_aggregate() -> None:
    model = trained(epochs=1).fit(X, LABELS)
    q = MajorityVote().fit(LABELS).predict_proba()
    counts = np.full((5, 3, 3), 0.5) + 0.5 * np.eye(3)
    for i, j, label in zip(LABELS.task, LABELS.annotator, LABELS.answers.values, strict=True):
        counts[j, :, label] += q[i]
    np.testing.assert_allclose(
        model.channel_.confusions().numpy(), counts / counts.sum(axis=2, keepdims=True), atol=1e-4
    )
    assert np.isfinite(model.score(X, LABELS))


@pytest.mark.parametrize("aggregator", ["median", "nobody", 3, DawidSkene])
def test_what_is_no_aggregator_is_said(aggregator: Any) -> None:
    with pytest.raises(ParameterError, match=r"must be one of .*'glad'.* or an aggregator such as"):
        TwoStage(aggregator=aggregator).fit(X, LABELS)
    with pytest.raises(ParameterError, match="partial_fit"):
        trained(epochs=1).fit(X, LABELS).partial_fit(X, LABELS)


@pytest.mark.parametrize("name", [m.name for m in METHODS.values() if "class" in m.kinds])
@pytest.mark.slow
def test_every_aggregator_of_the_catalogue_by_name(name: str) -> None:
    """The first stage is what that method says alone, whether asked for in Python or by the catalogue."""
    alone = METHODS[name].make().fit(LABELS).predict_proba()
    for model in (
        TwoStage("linear", name, epochs=1),
        method(f"two-stage:{name}").make(network="linear", epochs=1),
    ):
        model.fit(X, LABELS)
        np.testing.assert_allclose(model.learner_.shares.numpy(), alone, atol=1e-6)
        assert model.predict_proba(X).shape == (200, 3)


def test_what_comes_after_two_stage_is_an_aggregator_for_classes() -> None:
    for name in ("two-stage:nobody", "two-stage:mean", "two-stage:"):
        with pytest.raises(ParameterError, match=r"after 'two-stage:' comes one of .*glad"):
            method(name)


def test_the_catalogue_keeps_those_with_features_apart() -> None:
    assert all(m.needs_features for m in CLASSIFIERS.values())
    assert not any(m.needs_features for m in METHODS.values())
    assert not set(METHODS) & set(CLASSIFIERS)
    for name in CLASSIFIERS:
        made = method(name).make()
        assert made.name == name or (method(name).settings and name.startswith(f"{made.name}-"))
        assert CLASSIFIERS[name].kinds == made.kinds
        assert CLASSIFIERS[name] in methods_for(made.kinds[0], features=True)
