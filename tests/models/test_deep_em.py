"""DeepEM against slow loops: the published start, counts with a prior, and plain Dawid-Skene."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands.errors import ParameterError
from manyhands.models import DeepEM

CROWD = mh.simulate("confusion", n_tasks=200, n_annotators=5, n_classes=3, n_features=3, seed=0)
X, LABELS = CROWD.features, CROWD.labels
VOTES = list(
    zip(LABELS.task.tolist(), LABELS.annotator.tolist(), LABELS.answers.values.tolist(), strict=True)
)


def majority(hard: bool) -> np.ndarray:
    shares = np.zeros((200, 3))
    for i, _, label in VOTES:
        shares[i, label] += 1
    if hard:
        shares = (shares == shares.max(axis=1, keepdims=True)).astype(float)
    return shares / shares.sum(axis=1, keepdims=True)


def matrices(q: np.ndarray, right: float, wrong: float) -> np.ndarray:
    counts = np.zeros((5, 3, 3))
    for j in range(5):
        counts[j] = wrong / 2
        np.fill_diagonal(counts[j], right)
    for i, j, label in VOTES:
        counts[j, :, label] += q[i]
    return counts / counts.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("start", ["hard", "soft"])
def test_the_first_matrices_are_counted_against_the_majority(start: str) -> None:
    model = DeepEM("linear", start=start, right=2.0, wrong=1.0, epochs=1, learning_rate=1e-9).fit(X, LABELS)
    expected = matrices(majority(start == "hard"), 2.0, 1.0)
    np.testing.assert_allclose(model.channel_.confusions().numpy(), expected, atol=1e-5)


def test_without_features_it_is_dawid_and_skene() -> None:
    """A network that sees nothing is a prior of the classes; its EM is that of 1979."""
    model = DeepEM("linear", epochs=150, learning_rate=0.05, batch_size=200)
    model.fit(np.zeros((200, 1), dtype=np.float32), LABELS)
    q = majority(hard=True)
    for _ in range(100):
        log_t = np.log(matrices(q, 1.0, 1.0))
        scores = np.tile(np.log(q.mean(axis=0)), (200, 1))
        for i, j, label in VOTES:
            scores[i] += log_t[j, :, label]
        q = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(model.result_.chances, q, atol=0.02)
    np.testing.assert_allclose(model.channel_.confusions().numpy(), matrices(q, 1.0, 1.0), atol=0.02)


def test_a_prior_holds_the_silent(tmp_path: Any) -> None:
    quiet = mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, LABELS.answers.values, classes=[0, 1, 2], annotators=list(range(6))
    )
    model = DeepEM("linear", right=3.0, wrong=1.0, epochs=2).fit(X, quiet)
    np.testing.assert_allclose(
        model.channel_.confusions()[5].numpy(), np.full((3, 3), 0.125) + 0.625 * np.eye(3), atol=1e-5
    )


def test_it_beats_the_majority_where_annotators_differ() -> None:
    crowd = mh.simulate("spammers", n_tasks=600, n_annotators=8, n_features=4, redundancy=4, seed=0)
    model = DeepEM("linear", epochs=15, learning_rate=1e-2).fit(crowd.features, crowd.labels)
    voted = mh.MajorityVote().fit_predict(crowd.labels)
    right = (model.classes_[model.result_.chances.argmax(axis=1)] == crowd.truth).mean()
    assert right > (voted == crowd.truth).mean() + 0.05


def test_one_round_an_epoch_and_partial_fit_adds_counts() -> None:
    model = DeepEM("linear", epochs=3, learning_rate=1e-2).fit(X[:150], LABELS[:150])
    before = model.learner_.counts.clone()
    model.partial_fit(X[150:], LABELS[150:])
    added = model.learner_.counts - before
    assert added.sum().item() == pytest.approx(LABELS[150:].n_answers, rel=1e-5)
    assert (added >= 0).all()
    assert [e["phase"] for e in model.history_] == ["em"] * 4


def test_parameters_are_checked() -> None:
    for wrong in ({"start": "cold"}, {"right": -1}, {"wrong": "much"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            DeepEM(**wrong).fit(X, LABELS)
