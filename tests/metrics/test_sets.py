from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from manyhands.errors import ParameterError
from manyhands.metrics import set_scores


def test_as_scikit_learn_has_them() -> None:
    rng = np.random.default_rng(0)
    truth, guess = rng.integers(0, 2, (40, 5)), rng.integers(0, 2, (40, 5))
    found = set_scores(guess, truth)
    np.testing.assert_allclose(found.accuracy, (guess == truth).mean(axis=0))
    np.testing.assert_allclose(found.f1, f1_score(truth, guess, average=None))
    assert found.macro_f1 == pytest.approx(f1_score(truth, guess, average="macro"))
    assert found.micro_f1 == pytest.approx(f1_score(truth, guess, average="micro"))
    assert found.exact == pytest.approx(accuracy_score(truth, guess))


def test_what_is_unknown_is_left_out() -> None:
    truth = np.array([[1, -1], [0, -1], [-1, -1]])
    found = set_scores([[1, 1], [1, 0], [0, 0]], truth)
    assert found.accuracy[0] == 0.5
    assert np.isnan(found.accuracy[1])
    assert found.f1[0] == pytest.approx(2 / 3)
    assert (found.mean_accuracy, found.exact) == (0.5, 0.5)
    assert np.isnan(set_scores(np.zeros((0, 2)), np.zeros((0, 2))).micro_f1)
    with pytest.raises(ParameterError, match=r"shape \(1, 2\) and truth \(1, 3\)"):
        set_scores(np.zeros((1, 2)), np.zeros((1, 3)))
