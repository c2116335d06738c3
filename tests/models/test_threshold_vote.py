from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.metrics import vote_threshold


def overlooked(n_tasks: int, votes: int, seed: int, prior: float = 0.4) -> tuple[mh.Annotations, np.ndarray]:
    """Yes is seen by 45 in a hundred, and invented by 3."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_tasks) < prior
    said = rng.random((n_tasks, votes)) < np.where(truth, 0.45, 0.03)[:, None]
    return mh.Annotations.from_matrix(said.astype(int)), truth


@pytest.mark.parametrize("votes", [3, 5, 10])
def test_the_threshold_that_bayes_would_take(votes: int) -> None:
    labels, truth = overlooked(3000, votes, seed=votes)
    model = mh.ThresholdVote().fit(labels)
    needed = int(np.floor(model.thresholds_[0] * votes + 1e-9)) + 1
    y = np.arange(votes + 1)
    odds = np.log(0.4 / 0.6) + y * np.log(0.45 / 0.03) + (votes - y) * np.log(0.55 / 0.97)
    assert needed == int(np.argmax(odds > 0))
    majority = (mh.MajorityVote().fit(labels).predict() == truth).mean()
    assert (model.predict() == truth).mean() > majority + 0.05


def test_decisions_are_shares_above_the_threshold() -> None:
    crowd = mh.simulate("sets", n_tasks=100, n_annotators=7, n_classes=3, redundancy=(2, 6), seed=0)
    share = mh.MajorityVote().fit(crowd.labels).predict_proba()[:, 1].reshape(100, 3)
    for threshold in (0.3, [0.2, 0.5, 0.7]):
        model = mh.ThresholdVote(threshold=threshold).fit(crowd.labels)
        said = model.predict_proba()[:, 1].reshape(100, 3) > 0.5
        np.testing.assert_array_equal(said, share > np.asarray(threshold) + 1e-6)
    found = mh.ThresholdVote().fit(crowd.labels).thresholds_
    own = [crowd.labels.of_label(k) for k in range(3)]
    expected = [vote_threshold(t.rows.unit, t.rows.label == 1, 100).threshold for t in own]
    assert found.tolist() == expected


def test_more_classes_have_none() -> None:
    crowd = mh.simulate("confusion", n_tasks=50, n_annotators=5, seed=0)
    model = mh.ThresholdVote().fit(crowd.labels)
    assert model.thresholds_.tolist() == []
    np.testing.assert_array_equal(model.predict_proba(), mh.MajorityVote().fit(crowd.labels).predict_proba())
