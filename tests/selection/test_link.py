"""The link from belief to vote: closed forms, scipy, and that no vote is seen by its own prediction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from manyhands.selection.figures import mean_and_error, vote_figures
from manyhands.selection.hiding import HiddenVotes
from manyhands.selection.link import confusions, predict_votes
from manyhands.selection.number_link import normals, predict_numbers


def votes(n: int = 400, people: int = 4, classes: int = 3, seed: int = 0) -> tuple[HiddenVotes, np.ndarray]:
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(classes, 1.0), (people, classes)) * 0.4 + 0.6 * np.eye(classes)
    belief = rng.dirichlet(np.full(classes, 0.4), n)
    truth = np.array([rng.choice(classes, p=row) for row in belief])
    who = rng.integers(people, size=n)
    said = np.array([rng.choice(classes, p=table[j, k]) for j, k in zip(who, truth, strict=True)])
    hidden = HiddenVotes(
        np.arange(n), who, said, None, rng.integers(5, size=n), np.arange(n), people, classes
    )
    return hidden, belief


def test_of_certain_beliefs_rows_are_counts_with_the_common_row_mixed_in() -> None:
    hidden, belief = votes()
    sure = np.eye(3)[belief.argmax(axis=1)]
    counts = np.zeros((4, 3, 3))
    np.add.at(counts, (hidden.annotator, belief.argmax(axis=1), hidden.said), 1)
    common = counts.sum(axis=0) + 1 / 3
    common /= common.sum(axis=1, keepdims=True)
    expected = (counts + 10 * common) / (counts.sum(axis=2, keepdims=True) + 10)
    np.testing.assert_allclose(confusions(hidden, sure), expected, atol=1e-9)


def test_one_annotator_is_near_the_maximum_likelihood() -> None:
    """Against scipy on the same likelihood; ten steps of EM come close, and above any attenuated start."""
    hidden, belief = votes(600, people=1)

    def loss(free: np.ndarray) -> float:
        table = np.exp(free.reshape(3, 3))
        table /= table.sum(axis=1, keepdims=True)
        return -float(np.log((belief * table[:, hidden.said].T).sum(axis=1)).sum())

    best = minimize(loss, np.eye(3).ravel(), method="BFGS").fun
    ours = loss(np.log(confusions(hidden, belief, borrowed=1e-9)[0]).ravel())
    counts = np.zeros((3, 3))
    np.add.at(counts.T, hidden.said, belief)
    plain = loss(np.log(counts / counts.sum(axis=1, keepdims=True)).ravel())
    assert best <= ours < best + 1.0
    assert plain > ours + 5.0


def test_predictions_are_chances_and_never_see_their_vote() -> None:
    hidden, belief = votes()
    one = predict_votes(hidden, belief)
    np.testing.assert_allclose(one.chances.sum(axis=1), 1.0)
    np.testing.assert_allclose(one.log_likelihood, np.log(one.chances[np.arange(400), hidden.said]))
    turned = hidden._replace(said=np.where(hidden.fold == 2, (hidden.said + 1) % 3, hidden.said))
    two = predict_votes(turned, belief)
    np.testing.assert_array_equal(two.chances[hidden.fold == 2], one.chances[hidden.fold == 2])
    assert np.abs(two.chances[hidden.fold != 2] - one.chances[hidden.fold != 2]).max() > 1e-3


def test_a_calibrated_belief_is_calibrated_through_the_link() -> None:
    hidden, belief = votes(4000)
    likely, calibration = vote_figures(hidden, belief)
    assert calibration < 0.03
    worse, _ = vote_figures(hidden, np.roll(belief, 1, axis=0))
    assert likely.mean() > worse.mean() + 0.1


def numbers(n: int = 2000) -> tuple[HiddenVotes, np.ndarray]:
    rng = np.random.default_rng(1)
    who, mean, sd = rng.integers(3, size=n), rng.normal(5, 4, n), np.full(n, 0.5)
    truth = mean + sd * rng.normal(size=n)
    said = truth + np.array([1.0, 0.0, -1.0])[who] + np.array([0.2, 1.0, 3.0])[who] * rng.normal(size=n)
    hidden = HiddenVotes(np.arange(n), who, said, None, rng.integers(4, size=n), np.arange(n), 3, 0)
    return hidden, np.column_stack([mean, sd])


def test_numbers_recover_bias_and_deviation() -> None:
    bias, variance = normals(*numbers())
    np.testing.assert_allclose(bias, [1, 0, -1], atol=0.25)
    np.testing.assert_allclose(np.sqrt(variance), [0.2, 1.0, 3.0], atol=0.25)


def test_numbers_against_scipy() -> None:
    hidden, belief = numbers()
    belief[:5] = np.nan  # a task of which the method says nothing
    found = predict_numbers(hidden, belief)
    fold, n = hidden.fold[7], 7
    out = hidden.fold != fold
    filled = np.where(np.isnan(belief), [hidden.said[out].mean(), hidden.said[out].std()], belief)
    bias, variance = normals(hidden.of(out), filled[out])
    j = hidden.annotator[n]
    spread = np.sqrt(filled[n, 1] ** 2 + variance[j])
    assert found.log_likelihood[n] == pytest.approx(
        norm.logpdf(hidden.said[n], filled[n, 0] + bias[j], spread)
    )
    assert np.isfinite(found.log_likelihood).all()
    assert vote_figures(hidden, belief)[1] < 0.03


def test_the_standard_error_counts_tasks_not_votes() -> None:
    """Each value three times in its task is no more than once."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=50)
    alone = np.arange(50)
    once = HiddenVotes(alone, alone, alone, None, alone, alone, 50, 2)
    thrice = once.of(np.repeat(alone, 3))
    assert mean_and_error(values, once) == pytest.approx((values.mean(), values.std(ddof=1) / np.sqrt(50)))
    assert mean_and_error(np.repeat(values, 3), thrice) == pytest.approx(mean_and_error(values, once))
