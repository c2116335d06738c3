import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from manyhands.errors import ParameterError
from manyhands.metrics import regression


def test_equals_scikit_learn_and_scipy():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60) + 1e3
    guess = truth + rng.normal(size=60)
    hidden = np.where(np.arange(60) % 5 == 0, np.nan, truth)
    known = np.arange(60) % 5 != 0
    x, y = guess[known], truth[known]
    expected = (sk.mean_absolute_error(y, x), sk.root_mean_squared_error(y, x), sk.r2_score(y, x),
                stats.pearsonr(x, y).statistic, 48)  # fmt: skip
    assert regression(guess, hidden) == pytest.approx(expected)


def test_nothing_varies():
    same = regression([1.0, 2.0], [3.0, 3.0])
    assert same.mae == 1.5
    assert np.isnan([same.r2, same.pearson]).all()
    assert np.isnan(regression([3.0, 3.0], [1.0, 2.0]).pearson)
    assert regression([1.0], [np.nan]).n == 0


def test_lengths_must_agree():
    with pytest.raises(ParameterError, match=r"predicted has shape \(1,\), truth \(2,\)"):
        regression([1.0], [1.0, 2.0])
