"""ZenCrowd against its own loop written out."""

from __future__ import annotations

import numpy as np

from manyhands import Annotations, ZenCrowd

from .made import from_matrices


def written_out(
    wide: np.ndarray, k: int, right: float, wrong: float, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Posterior and accuracies after so many rounds of: accuracies, then posterior."""
    n, r = wide.shape
    q = np.stack([(wide == c).sum(axis=1) for c in range(k)], axis=1).astype(float)
    q /= q.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        p = np.empty(r)
        for j in range(r):
            mine = np.flatnonzero(wide[:, j] >= 0)
            p[j] = (right + q[mine, wide[mine, j]].sum()) / (right + wrong + len(mine))
        q = np.ones((n, k))
        for i in range(n):
            for j in np.flatnonzero(wide[i] >= 0):
                q[i] *= np.where(np.arange(k) == wide[i, j], p[j], (1 - p[j]) / (k - 1))
        q /= q.sum(axis=1, keepdims=True)
    return q, p


def test_the_loop_by_hand() -> None:
    rng = np.random.default_rng(0)
    wide = np.where(rng.random((20, 6)) < 0.7, rng.integers(0, 3, (20, 6)), -1)
    wide[:, 0] = rng.integers(0, 3, 20)  # nobody is silent on a task
    model = ZenCrowd(right=3.0, wrong=2.0, tol=1e-13, max_iter=4000, dtype="float64")
    result = model.fit(Annotations.from_matrix(wide, classes=[0, 1, 2])).result_
    chances, accuracy = written_out(wide, 3, 3.0, 2.0, len(result.history))
    np.testing.assert_allclose(result.chances, chances, atol=1e-6)
    np.testing.assert_allclose([result.confusion(j)[0, 0] for j in range(6)], accuracy, atol=1e-6)


def test_one_who_said_nothing_is_as_believed_before() -> None:
    made = from_matrices(np.repeat(np.eye(2)[None] * 0.6 + 0.2, 4, axis=0), 50, 3)
    silent = made.table.__class__.from_matrix([[0, 1, -1]], classes=[0, 1])
    assert abs(ZenCrowd(right=8, wrong=2).fit(silent).result_.confusion(2)[0, 0] - 0.8) < 1e-6
