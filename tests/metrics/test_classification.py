import numpy as np
import pytest
from sklearn import metrics as sk

from manyhands.errors import ParameterError
from manyhands.metrics import accuracy, brier_score, log_loss


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(4), size=200), rng.integers(4, size=200)


def test_equal_to_scikit_learn(case):
    proba, truth = case
    assert accuracy(proba.argmax(1), truth) == pytest.approx(sk.accuracy_score(truth, proba.argmax(1)))
    assert log_loss(proba, truth) == pytest.approx(sk.log_loss(truth, proba))
    assert brier_score(proba, truth) == pytest.approx(
        np.mean(np.sum((proba - np.eye(4)[truth]) ** 2, axis=1))
    )


def test_two_classes_are_twice_the_binary_brier_score():
    rng = np.random.default_rng(1)
    p, truth = rng.random(50), rng.integers(2, size=50)
    assert brier_score(np.column_stack([1 - p, p]), truth) == pytest.approx(2 * sk.brier_score_loss(truth, p))


def test_unknown_truths_are_left_out(case):
    proba, truth = case
    hidden = np.where(np.arange(200) < 50, -1, truth)
    proba = proba.copy()
    known = proba[50:], truth[50:]
    proba[:50] = np.nan  # not even looked at
    assert accuracy(np.zeros(200, int), hidden) == np.mean(known[1] == 0)
    assert log_loss(proba, hidden) == log_loss(*known)
    assert brier_score(proba, hidden) == brier_score(*known)


def test_no_prediction_is_a_wrong_one():
    assert accuracy([-1, 1], [0, 1]) == 0.5


def test_a_sure_mistake_costs_the_clip():
    assert log_loss([[1.0, 0.0]], [1], clip=1e-6) == pytest.approx(-np.log(1e-6))


def test_nothing_known_is_nan():
    assert np.isnan(accuracy([0], [-1]))
    assert np.isnan(accuracy([], []))
    assert np.isnan(log_loss([[0.5, 0.5]], [-1]))
    assert np.isnan(brier_score(np.zeros((0, 2)), []))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: accuracy([0, 1], [0]), "predicted has 2 rows but truth has 1"),
        (lambda: accuracy(["a"], [0]), "predicted has dtype <U1"),
        (lambda: accuracy([0], [0.5]), "truth has dtype float64"),
        (lambda: log_loss([0.5, 0.5], [0, 1]), r"proba of shape \(2,\)"),
        (lambda: log_loss([[0.5, 0.5]], [2]), "truth 2 in row 0 has no column in proba, which has 2 classes"),
        (lambda: log_loss([[0.5, 0.5], [2.0, -1.0]], [0, 1]), r"proba row 1 is \[2.0, -1.0\]"),
        (lambda: brier_score([[np.nan, 1.0]], [0]), "not a distribution"),
        (lambda: log_loss([[1.0]], [0], clip=0), "clip=0"),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(ParameterError, match=said):
        call()
