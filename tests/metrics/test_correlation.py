from itertools import combinations

import numpy as np
import pytest

from manyhands import Annotations
from manyhands.errors import UnsupportedError
from manyhands.metrics import mean_correlation


def crowd(seed, n=80, r=5, missing=0.3):
    rng = np.random.default_rng(seed)
    table = (
        rng.normal(size=(n, 1)) * rng.uniform(0.5, 2, r) + rng.normal(size=(n, r)) + 100 * rng.normal(size=r)
    )
    table[rng.random((n, r)) < missing] = np.nan
    return table


def slow(table, least=5):
    found = []
    for a, b in combinations(table.T, 2):
        both = ~np.isnan(a) & ~np.isnan(b)
        if both.sum() >= least:
            found.append((np.corrcoef(a[both], b[both])[0, 1], both.sum()))
    r, shared = np.transpose(found)
    return np.average(r, weights=shared), len(found)


@pytest.mark.parametrize("seed", range(3))
def test_equals_numpy_pair_by_pair(seed):
    table = crowd(seed)
    figure = mean_correlation(Annotations.from_matrix(table, kind="number"))
    assert (figure.value, figure.n) == pytest.approx(slow(table))


def test_interval_is_that_of_a_full_bootstrap():
    table = crowd(3, n=150)
    figure = mean_correlation(Annotations.from_matrix(table, kind="number"))
    rng = np.random.default_rng(1)
    low, high = np.quantile([slow(table[rng.integers(150, size=150)])[0] for _ in range(300)], [0.025, 0.975])
    assert figure.low == pytest.approx(low, abs=0.2 * (high - low))
    assert figure.high == pytest.approx(high, abs=0.2 * (high - low))


def test_who_always_says_the_same_number_is_left_out():
    table = crowd(4, r=3, missing=0)
    table[:, 2] = 0.1
    figure = mean_correlation(Annotations.from_matrix(table, kind="number"))
    assert figure.n == 1
    assert figure.value == pytest.approx(np.corrcoef(table[:, 0], table[:, 1])[0, 1])


def test_classes_are_refused():
    with pytest.raises(UnsupportedError, match="use mean_cohen_kappa"):
        mean_correlation(Annotations.from_matrix([[0, 1]]))
