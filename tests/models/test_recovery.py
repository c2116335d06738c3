"""Parameters that made a crowd are found again, adversaries among them."""

from __future__ import annotations

import numpy as np
import pytest

from manyhands import GLAD, MACE, Annotations, DawidSkene, OneCoin, PrecisionWeighted, Wawa

from .made import from_matrices, spread_votes


def _coins(accuracy: np.ndarray, k: int) -> np.ndarray:
    return np.where(np.eye(k, dtype=bool), accuracy[:, None, None], ((1 - accuracy) / (k - 1))[:, None, None])


@pytest.mark.parametrize("settings", [{}, {"shared": 4.0}, {"right": 1.0, "wrong": 1.0}], ids=str)
def test_dawid_skene_finds_the_matrices(settings: dict[str, float]) -> None:
    rng = np.random.default_rng(1)
    noise = np.where(np.eye(3, dtype=bool), 6.0, 1.0)
    matrices = np.stack([[rng.dirichlet(row) for row in noise] for _ in range(8)])
    prior = np.array([0.5, 0.3, 0.2])
    made = from_matrices(matrices, 4000, 6, prior=prior)
    model = DawidSkene(**settings).fit(made.table)
    found = np.stack([model.result_.confusion(j) for j in range(8)])
    # 3000 votes each; the rarest row has 600, so a standard error of .02 and 72 chances at 3.5 of them
    assert np.abs(found - matrices).max() < 0.08
    assert np.abs(found - matrices).mean() < 0.015
    np.testing.assert_allclose(np.exp(model.result_.evidence.log_truth), prior, atol=0.03)
    assert (model.predict() == made.truth).mean() > 0.93


def test_one_coin_finds_the_accuracies_and_the_adversary() -> None:
    accuracy = np.array([0.1, 0.55, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95])
    made = from_matrices(_coins(accuracy, 3), 3000, 6)
    model = OneCoin().fit(made.table)
    found = 1 / (1 + np.exp(-_logit_of(model)))
    np.testing.assert_allclose(found, accuracy, atol=0.04)
    assert (model.predict() == made.truth).mean() > 0.93


def _logit_of(model: OneCoin) -> np.ndarray:
    chance = np.array([model.result_.confusion(j)[0, 0] for j in model.labels_.annotators])
    return np.log(chance / (1 - chance))


def test_mace_finds_trust_and_habits() -> None:
    rng = np.random.default_rng(3)
    theta = np.array([0.0, 0.05, 0.4, 0.6, 0.8, 0.9, 0.95, 0.7])
    habit = rng.dirichlet([2.0, 2.0, 2.0], 8)
    habit[0] = (0.9, 0.05, 0.05)
    matrices = theta[:, None, None] * np.eye(3) + (1 - theta)[:, None, None] * habit[:, None, :]
    made = from_matrices(matrices, 4000, 6)
    model = MACE().fit(made.table)
    found = np.stack([model.result_.confusion(j) for j in range(8)])
    np.testing.assert_allclose(found, matrices, atol=0.06)
    off = found - np.einsum("jkk->jk", found)[:, :, None] * np.eye(3)
    trust = 1 - off.max(axis=1).sum(axis=1)  # the habit is the column off the diagonal
    np.testing.assert_allclose(trust, theta, atol=0.08)
    scores = model.result_.annotators()["spammer_score"].to_numpy()
    assert scores[:2].max() < 0.05
    assert scores[4:7].min() > 0.5


def test_glad_finds_ability_times_easiness() -> None:
    """Only products are known; many votes on few tasks pin them down."""
    rng = np.random.default_rng(4)
    n_tasks, n_annotators = 150, 80
    ability = np.concatenate([[-1.5, -1.0], rng.uniform(0.3, 2.5, n_annotators - 2)])
    log_easy = rng.normal(0.5, 0.6, n_tasks)
    truth = rng.integers(0, 2, n_tasks)
    task, annotator = spread_votes(rng, n_tasks, n_annotators, 60)
    right = rng.random(len(task)) < 1 / (1 + np.exp(-ability[annotator] * np.exp(log_easy[task])))
    table = Annotations.from_arrays(task, annotator, np.where(right, truth[task], 1 - truth[task]))
    model = GLAD(max_iter=500).fit(table)
    assert (model.predict() == truth).mean() > 0.98
    found = model.result_.annotators().sort("annotator")["ability"].to_numpy()
    assert (found[:2] < 0).all()
    assert (found[2:] > 0).mean() > 0.97
    product = found[annotator] * np.exp(model.result_.evidence.log_easiness[task])
    true_product = ability[annotator] * np.exp(log_easy[task])
    chance, true_chance = (1 / (1 + np.exp(-v)) for v in (product, true_product))
    assert np.abs(chance - true_chance).mean() < 0.05
    assert np.corrcoef(found, ability)[0, 1] > 0.9
    hard = model.result_.tasks()["difficulty"].to_numpy()
    assert np.corrcoef(np.log(hard), -log_easy)[0, 1] > 0.8


def test_precision_weighted_finds_bias_and_precision() -> None:
    rng = np.random.default_rng(5)
    n_tasks, n_annotators = 3000, 8
    bias = np.array([-2.0, -0.5, 0.0, 0.0, 0.3, 0.7, 0.5, 1.0])
    sd = np.array([0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 0.6])
    truth = rng.normal(50, 4, n_tasks)
    task, annotator = spread_votes(rng, n_tasks, n_annotators, 5)
    value = truth[task] + bias[annotator] + sd[annotator] * rng.normal(size=len(task))
    model = PrecisionWeighted(strength=2.0).fit(
        Annotations.from_arrays(task, annotator, value, kind="number", annotators=range(n_annotators))
    )
    shift = (model.result_.evidence.bias - bias).mean()  # all biases may move together
    np.testing.assert_allclose(model.result_.evidence.bias - shift, bias, atol=0.12)
    np.testing.assert_allclose(model.result_.annotators()["sd"].to_numpy(), sd, rtol=0.08)
    error = model.predict() + shift - truth
    plain = np.bincount(task, value) / 5 - truth
    assert np.std(error) < 0.6 * np.std(plain)
    inside = np.abs(error) < 1.96 * model.result_.numbers.sd
    assert 0.92 < inside.mean() < 0.98


@pytest.mark.parametrize(
    "make", [DawidSkene, OneCoin, lambda: GLAD(max_iter=400)], ids=["ds", "coin", "glad"]
)
def test_an_adversary_is_turned_round(make: type) -> None:
    """One who is nearly always wrong says as much as one nearly always right; counting votes cannot."""
    accuracy = np.array([0.75, 0.75, 0.75, 0.75, 0.05, 0.05, 0.7])
    made = from_matrices(_coins(accuracy, 2), 800, 7, seed=2)
    right = (make().fit(made.table).predict() == made.truth).mean()
    counted = (Wawa().fit(made.table).predict() == made.truth).mean()
    assert right > 0.97
    assert right > counted + 0.02
    table = make().fit(made.table).result_.annotators()
    assert table["accuracy"].to_numpy()[4:6].max() < 0.12
    # An adversary tells the truth under another name: no spammer.
    assert table["spammer_score"].to_numpy()[4:6].min() > 0.6
