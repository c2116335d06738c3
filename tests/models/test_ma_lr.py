from __future__ import annotations

import numpy as np

import manyhands as mh


def crowd_of(phi: np.ndarray, n: int = 1000, seed: int = 0) -> tuple:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    logits = 3 * x @ np.array([[1.0, -1, 0], [0.0, 1, -1]])
    chance = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    earnest = np.stack(
        [(rng.random(n)[:, None] > chance.cumsum(axis=1)[:, :-1]).sum(axis=1) for _ in phi], axis=1
    )
    said = np.where(rng.random((n, len(phi))) < phi, earnest, rng.integers(0, 3, (n, len(phi))))
    return x, mh.Annotations.from_matrix(said), chance


def test_reliabilities_and_regression_are_recovered() -> None:
    phi = np.array([0.95, 0.8, 0.5, 0.2, 0.0])
    x, labels, chance = crowd_of(phi)
    model = mh.MALR(epochs=40).fit(x, labels)
    found = model.channel_.reliable().numpy()
    np.testing.assert_allclose(found, phi, atol=0.1)
    assert np.abs(model.predict_proba(x) - chance).mean() < 0.06


def test_the_end_is_a_fixed_point_of_the_papers_em() -> None:
    """Its E-step and M-step of phi written out leave phi where it is."""
    phi = np.array([0.9, 0.6, 0.3])
    x, labels, _ = crowd_of(phi, n=400)
    model = mh.MALR(epochs=150).fit(x, labels)
    found, f = model.channel_.reliable().numpy().astype(float), model.predict_proba(x)
    said = np.asarray(labels.answers.values).reshape(400, 3)
    own = np.take_along_axis(f, said, axis=1)
    earnest = found * own / (found * own + (1 - found) / 3)
    np.testing.assert_allclose(earnest.mean(axis=0), found, atol=0.01)
