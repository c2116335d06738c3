"""Raykar of two classes against EM written by hand; priors; rare classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import manyhands as mh
from manyhands.errors import ParameterError

from .five_annotators import ALPHA, BETA, five_annotators


def by_hand(x: np.ndarray, said: np.ndarray, rounds: int, a: tuple, b: tuple) -> tuple[np.ndarray, ...]:
    """The paper's section 2.3: mu, alpha, beta; logistic regression by Newton's method."""
    mu = said.mean(axis=1)
    z = np.column_stack([np.ones(len(x)), x])
    ridge = np.diag([0.0, *np.ones(x.shape[1])])
    for _ in range(rounds):
        alpha = (a[0] - 1 + mu @ said) / (a[0] + a[1] - 2 + mu.sum())
        beta = (b[0] - 1 + (1 - mu) @ (1 - said)) / (b[0] + b[1] - 2 + (1 - mu).sum())
        w = np.zeros(z.shape[1])
        for _ in range(30):
            p = expit(z @ w)
            w -= np.linalg.solve((z.T * (p * (1 - p))) @ z + ridge, z.T @ (p - mu) + ridge @ w)
        p = expit(z @ w)
        yes = p * np.prod(alpha**said * (1 - alpha) ** (1 - said), axis=1)
        no = (1 - p) * np.prod(beta ** (1 - said) * (1 - beta) ** said, axis=1)
        mu = yes / (yes + no)
    return mu, alpha, beta, p


@pytest.mark.parametrize(("a", "b"), [((1, 1), (1, 1)), ((6, 2), (3, 4))])
def test_it_is_the_papers_em(a: tuple, b: tuple) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 120)
    x = rng.normal(size=(120, 3)) + 1.2 * truth[:, None]
    right = np.array([0.8, 0.7, 0.6, 0.75])
    said = np.where(rng.random((120, 4)) < right, truth[:, None], 1 - truth[:, None])
    mu, alpha, beta, p = by_hand(x, said.astype(float), 12, a, b)
    network = LogisticRegression(C=1.0, tol=1e-12, max_iter=1000)
    model = mh.Raykar(network, sensitivity=a, specificity=b, epochs=12)
    model.fit(x, mh.Annotations.from_matrix(said))
    found = model.channel_.confusions().numpy()
    np.testing.assert_allclose(found[:, 1, 1], alpha, atol=2e-4)
    np.testing.assert_allclose(found[:, 0, 0], beta, atol=2e-4)
    np.testing.assert_allclose(model.predict_proba(x)[:, 1], p, atol=2e-4)
    np.testing.assert_allclose(model.result_.chances[:, 1], mu, atol=5e-4)


def test_one_number_for_both_rates_is_the_same_for_each() -> None:
    x, labels, _ = five_annotators(200)
    one, both = (
        mh.Raykar(epochs=4, sensitivity=(4, 2), specificity=other).fit(x, labels) for other in (None, (4, 2))
    )
    np.testing.assert_array_equal(one.predict_proba(x), both.predict_proba(x))


def test_rates_are_recovered() -> None:
    x, labels, truth = five_annotators(2000)
    model = mh.Raykar(epochs=20).fit(x, labels)
    found = model.channel_.confusions().numpy()
    np.testing.assert_allclose(found.diagonal(axis1=1, axis2=2), np.column_stack([BETA, ALPHA]), atol=0.05)
    assert (model.predict(x) == truth).mean() > 0.98


@pytest.mark.parametrize("wrong", [{"sensitivity": 3}, {"sensitivity": (0.5, 2)}, {"specificity": (1, 2, 3)}])
def test_priors_are_checked(wrong: dict) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(wrong))}=.* of Raykar"):
        mh.Raykar(**wrong).fit(np.zeros((2, 1)), [0, 1])


def test_two_rates_are_of_two_classes() -> None:
    crowd = mh.simulate("confusion", n_tasks=30, n_annotators=5, n_classes=3, n_features=2, seed=0)
    with pytest.raises(ParameterError, match="3 classes"):
        mh.Raykar(sensitivity=(4, 2), specificity=(4, 2)).fit(crowd.features, crowd.labels)
