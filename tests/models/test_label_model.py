"""The label model: its loss over pairs written out, accuracies found again, what known truths add."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from manyhands import Annotations, LabelModel
from manyhands.channels import votes_of
from manyhands.channels.fellow_answers import FellowAnswers
from manyhands.objectives.overlaps import Overlaps, accuracy_rows

from .made import from_matrices


def pairs_loss(table: Annotations, prior: np.ndarray, accuracy: np.ndarray) -> float:
    """sum n_ab |C_ab - T_a' P T_b|^2 over pairs, C_ab formed for each."""
    wide = np.full((table.n_tasks, table.n_annotators), -1)
    wide[table.task, table.annotator] = table.answers.values
    rows, k, total = accuracy_rows(accuracy).transpose(0, 2, 1), len(prior), 0.0
    for a in range(wide.shape[1]):
        for b in range(a):
            both = (wide[:, a] >= 0) & (wide[:, b] >= 0)
            met = np.zeros((k, k))
            np.add.at(met, (wide[both, a], wide[both, b]), 1)
            n, foretold = both.sum(), rows[a].T @ np.diag(prior) @ rows[b]
            total += n * ((met / max(n, 1) - foretold) ** 2).sum() - (met**2).sum() / max(n, 1)
    return float(total)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_loss_and_its_gradient_pair_by_pair(k: int) -> None:
    rng = np.random.default_rng(k)
    wide = np.where(rng.random((15, 5)) < 0.6, rng.integers(0, k, (15, 5)), -1)
    table = Annotations.from_matrix(wide, classes=list(range(k)))
    prior, accuracy = rng.dirichlet(np.ones(k)), rng.uniform(0.2, 0.95, (5, k))
    overlaps = Overlaps(FellowAnswers(votes_of(table)), prior)
    loss, slope = overlaps(accuracy)
    assert loss == pytest.approx(pairs_loss(table, prior, accuracy), rel=1e-9)
    numeric = approx_fprime(accuracy.ravel(), lambda x: overlaps(x.reshape(5, k))[0], 1e-6)
    np.testing.assert_allclose(slope.ravel(), numeric, atol=1e-3)
    typical = rng.uniform(0.5, 0.9, k)
    drawn, pull = overlaps.near(typical, 3.0, accuracy)
    numeric = approx_fprime(accuracy.ravel(), lambda x: overlaps.near(typical, 3.0, x.reshape(5, k))[0], 1e-6)
    np.testing.assert_allclose(pull.ravel(), numeric, atol=1e-4)
    rows = accuracy_rows(np.concatenate([accuracy, typical[None]])).transpose(0, 2, 1)
    foretold = [rows[j].T @ np.diag(prior) @ rows[5] for j in range(6)]
    assert drawn == pytest.approx(3 * sum(((f - foretold[5]) ** 2).sum() for f in foretold[:5]), rel=1e-9)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.slow
def test_accuracies_are_found_again(k: int) -> None:
    rng = np.random.default_rng(1)
    accuracy = rng.uniform(0.6, 0.95, (8, k))
    accuracy[0] = 0.2  # an adversary
    prior = np.linspace(1, 1.6, k) / np.linspace(1, 1.6, k).sum()
    made = from_matrices(accuracy_rows(accuracy).transpose(0, 2, 1), 4000, 5, prior=prior)
    told = LabelModel(class_prior=prior.tolist()).fit(made.table).result_
    found = np.stack([told.confusion(j).diagonal() for j in range(8)])
    assert np.abs(found - accuracy).max() < 0.08
    assert np.abs(found - accuracy).mean() < 0.025
    learnt = LabelModel().fit(made.table).result_
    np.testing.assert_allclose(np.exp(learnt.evidence.log_truth), prior, atol=0.06)
    best = np.argmax(np.log(prior) + _scores(made.table, accuracy), axis=1)
    for result in (told, learnt):
        assert (result.chances.argmax(axis=1) == made.truth).mean() > (best == made.truth).mean() - 0.02


def _scores(table: Annotations, accuracy: np.ndarray) -> np.ndarray:
    rows = np.log(accuracy_rows(accuracy))
    scores = np.zeros((table.n_tasks, accuracy.shape[1]))
    np.add.at(scores, table.task, rows[table.annotator, table.answers.values])
    return scores


def test_known_truths_are_answers_of_one_who_is_right() -> None:
    """Two annotators alone: who is right when they differ, agreements cannot tell, and truths can."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 3000)
    right = rng.random((3000, 2)) < np.array([0.95, 0.65])
    said = np.where(right, truth[:, None], 1 - truth[:, None])
    gold = dict(enumerate(truth[:600].tolist()))
    blind = LabelModel().fit(Annotations.from_matrix(said)).result_
    taught = LabelModel().fit(Annotations.from_matrix(said, truth=gold)).result_
    spread = [np.diff([r.confusion(j).diagonal().mean() for j in range(2)])[0] for r in (blind, taught)]
    assert abs(spread[0]) < 0.05
    assert spread[1] == pytest.approx(-0.3, abs=0.06)
    assert (taught.chances[:600].argmax(axis=1) == truth[:600]).all()
    assert (taught.chances.argmax(axis=1)[600:] == truth[600:]).mean() > 0.93


def test_without_meetings_accuracies_stay_where_they_start() -> None:
    table = Annotations.from_dict({f"t{i}": {f"j{i}": "xy"[i % 2]} for i in range(4)})
    result = LabelModel().fit(table).result_
    np.testing.assert_allclose(result.confusion("j0"), [[0.7, 0.3], [0.3, 0.7]], atol=1e-6)
    np.testing.assert_allclose(result.chances.max(axis=1), 0.7, atol=1e-6)
