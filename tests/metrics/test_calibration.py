import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from manyhands.errors import ParameterError
from manyhands.metrics import expected_calibration_error, reliability_table


def slow_error(proba, truth, bins):
    confidence, right = proba.max(1), proba.argmax(1) == truth
    gap = 0.0
    for b in range(bins):
        inside = (confidence > b / bins) & (confidence <= (b + 1) / bins)
        if inside.any():
            gap += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return gap


@pytest.mark.parametrize("bins", [1, 7, 15])
def test_equals_a_loop_over_bins(bins):
    rng = np.random.default_rng(0)
    proba, truth = rng.dirichlet(np.ones(3), size=300), rng.integers(3, size=300)
    assert expected_calibration_error(proba, truth, bins) == pytest.approx(slow_error(proba, truth, bins))


def test_table_equals_scikit_learn():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.5, 1, 500)
    truth = (rng.random(500) < p).astype(int)
    table = reliability_table(np.column_stack([1 - p, p]), truth, bins=10)
    accuracy, confidence = calibration_curve(truth, p, n_bins=10)
    filled = table.drop_nulls()
    assert filled["accuracy"].to_list() == pytest.approx(list(accuracy))
    assert filled["confidence"].to_list() == pytest.approx(list(confidence))
    assert table["n"].sum() == 500
    assert table["accuracy"].null_count() == 5


def test_a_calibrated_crowd_has_no_error_and_an_overconfident_one_its_gap():
    rng = np.random.default_rng(2)
    proba = rng.dirichlet(np.ones(3), size=100_000)
    truth = (rng.random((100_000, 1)) > proba.cumsum(1)).sum(1)
    assert expected_calibration_error(proba, truth) < 0.01
    sure = np.tile([0.9, 0.05, 0.05], (100_000, 1))
    assert expected_calibration_error(sure, rng.integers(3, size=100_000)) == pytest.approx(
        0.9 - 1 / 3, abs=0.01
    )


def test_certainty_falls_into_the_last_bin():
    assert reliability_table([[1.0, 0.0]], [0], bins=4)["n"].to_list() == [0, 0, 0, 1]


def test_nothing_known_and_bad_bins():
    assert np.isnan(expected_calibration_error([[0.5, 0.5]], [-1]))
    assert reliability_table([[0.5, 0.5]], [-1], bins=2)["n"].to_list() == [0, 0]
    with pytest.raises(ParameterError, match="bins=0"):
        expected_calibration_error([[0.5, 0.5]], [0], bins=0)
