"""EM with a scikit-learn classifier, against EM written out in the test."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import manyhands as mh
from manyhands.channels import Confusion, CrowdLayer
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.models import CrowdClassifier, DeepEM

CROWD = mh.simulate("confusion", n_tasks=150, n_annotators=5, n_classes=3, n_features=3, redundancy=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels
VOTES = list(
    zip(LABELS.task.tolist(), LABELS.annotator.tolist(), LABELS.answers.values.tolist(), strict=True)
)
C = 0.5


def written_out(rounds: int, per_vote: bool) -> np.ndarray:
    shares = np.zeros((150, 3))
    for i, _, label in VOTES:
        shares[i, label] += 1
    shares /= shares.sum(axis=1, keepdims=True)
    q = np.array([shares[i] for i, _, _ in VOTES]) if per_vote else shares
    for _ in range(rounds):
        counts = np.full((5, 3, 3), 0.5) + 0.5 * np.eye(3)
        weight = np.zeros((150, 3))
        for n, (i, j, label) in enumerate(VOTES):
            counts[j, :, label] += q[n if per_vote else i]
            weight[i] += q[n] if per_vote else 0
        weight = weight if per_vote else q
        t = counts / counts.sum(axis=2, keepdims=True)
        rows, labels = np.repeat(X, 3, axis=0), np.tile(np.arange(3), 150)
        f = LogisticRegression(C=C).fit(rows, labels, weight.ravel()).predict_proba(X)
        if per_vote:
            q = np.array([f[i] * t[j, :, label] for i, j, label in VOTES])
        else:
            q = f.copy()
            for i, j, label in VOTES:
                q[i] *= t[j, :, label]
        q /= q.sum(axis=1, keepdims=True)
    return f


@pytest.mark.parametrize("objective", ["em", "em-marginal"])
def test_rounds_of_em_are_those_written_out(objective: str) -> None:
    model = CrowdClassifier(LogisticRegression(C=C), Confusion(right=1.0, wrong=1.0), objective, epochs=4)
    model.fit(X, LABELS)
    np.testing.assert_allclose(model.predict_proba(X), written_out(4, objective == "em-marginal"), atol=2e-3)
    losses = [e["loss"] for e in model.history_]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.slow
def test_it_stops_where_it_has_settled() -> None:
    model = CrowdClassifier(LogisticRegression(), Confusion(right=1.0, wrong=1.0), "em", epochs=500)
    assert len(model.fit(X, LABELS).history_) < 500


@pytest.mark.parametrize(
    "network",
    [RandomForestClassifier(5, max_depth=3), make_pipeline(StandardScaler(), LogisticRegression())],
    ids=["forest", "pipeline"],
)
def test_any_classifier_with_weights(network: Any) -> None:
    model = CrowdClassifier(network, objective="em", epochs=3).fit(X, LABELS)
    first = model.predict_proba(X)
    assert (model.predict(X) == CROWD.truth).mean() > 0.5
    np.testing.assert_array_equal(model.fit(X, LABELS).predict_proba(X), first)  # the seed reaches the forest
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), first)
    assert np.isfinite(model.score(X, LABELS))


def test_sparse_features_and_a_class_that_nobody_gave() -> None:
    from scipy.sparse import csr_array

    wider = mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, LABELS.answers.values, classes=[0, 1, 2, 3]
    )
    model = DeepEM(LogisticRegression(), epochs=3).fit(csr_array(X), wider)
    chances = model.predict_proba(csr_array(X))
    assert (chances[:, 3] < 1e-3).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("network", "options", "said"),
    [
        (LogisticRegression(), {"objective": "joint"}, "climbed by gradients"),
        (LogisticRegression(), {"objective": "marginal"}, "climbed by gradients"),
        (KNeighborsClassifier(), {}, "no sample_weight"),
        (LinearSVC(), {}, "no predict_proba"),
        (LinearRegression(), {}, "no predict_proba"),
        (LogisticRegression(), {"marginal_epochs": 2}, "marginal_epochs= has no meaning"),
        (LogisticRegression(), {"checkpoint": "somewhere"}, "checkpoint= .* not saved"),
        (LogisticRegression(), {"closed_form": False}, "no closed form"),
        (LogisticRegression(), {"channel": CrowdLayer("MW")}, "p\\(label \\| truth\\)"),
    ],
)
def test_what_has_no_meaning_is_refused(network: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises((ParameterError, UnsupportedError), match=said):
        CrowdClassifier(network, **({"objective": "em", "epochs": 2} | options)).fit(X, LABELS)


def test_it_is_neither_saved_nor_gone_on_with(tmp_path: Any) -> None:
    model = CrowdClassifier(LogisticRegression(), objective="em", epochs=2).fit(X, LABELS)
    with pytest.raises(UnsupportedError, match="only pickle would keep"):
        model.save(tmp_path)
    with pytest.raises(UnsupportedError, match="fitted whole"):
        model.partial_fit(X, LABELS)
