from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.errors import UnsupportedError
from manyhands.metrics import fleiss_kappa, gwet_ac1, observed_agreement

from .tables import ABSTRACTORS, GOLDEN, KRIPPENDORFF, fleiss_table, pairs_of

tables = st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=9)
ALL = (observed_agreement, fleiss_kappa, gwet_ac1)


def slow(table, k):
    """Percentage, Fleiss kappa and AC1 by pairs of labels."""
    units = [[v for v in row if v >= 0] for row in table]
    agreed = [np.mean([a == b for a, b in combinations(u, 2)]) for u in units if len(u) > 1]
    if not agreed:
        return [np.nan] * 3
    pa = np.mean(agreed)
    pi = np.mean([[u.count(c) / len(u) for c in range(k)] for u in units if u], axis=0)
    chance = [sum(p * p for p in pi), sum(p * (1 - p) for p in pi) / (k - 1)]
    return [pa, *((pa - pe) / (1 - pe) if pe < 1 - 1e-9 else np.nan for pe in chance)]


@settings(max_examples=60, deadline=None)
@given(tables)
def test_equals_the_slow_definition(table):
    labels = Annotations.from_matrix(table, classes=range(3))
    found = [figure(labels, n_boot=0).value for figure in ALL]
    np.testing.assert_allclose(found, slow(table, 3), rtol=0, atol=1e-12)


def test_fleiss_own_example():
    assert fleiss_kappa(fleiss_table()).value == pytest.approx(0.430, abs=5e-4)


def test_equals_statsmodels():
    value = fleiss_kappa(Annotations.from_matrix(GOLDEN[0]["table"])).value
    assert value == pytest.approx(GOLDEN[0]["fleiss"], rel=1e-12)


def test_gwets_example_with_varying_numbers_of_labels():
    """irrCAC, vignette "overview": pa.coeff.raw, fleiss.kappa.raw, gwet.ac1.raw of cac.raw4raters."""
    labels = Annotations.from_matrix(KRIPPENDORFF)
    assert observed_agreement(labels).value == pytest.approx(0.81818, abs=5e-6)
    assert fleiss_kappa(labels).value == pytest.approx(0.76117, abs=5e-6)
    assert gwet_ac1(labels).value == pytest.approx(0.77544, abs=5e-6)


def test_two_raters_fleiss_is_scotts_pi():
    """irrCAC, vignette "overview": scott2.table of cont3x3abstractors."""
    assert fleiss_kappa(pairs_of(ABSTRACTORS)).value == pytest.approx(0.7962397, abs=5e-8)


@settings(max_examples=30, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_renaming_and_shuffling_change_nothing(table, random):
    rows, columns, names = list(range(len(table))), list(range(4)), ["p", "q", "r"]
    for order in (rows, columns, names):
        random.shuffle(order)
    moved = [[None if table[i][j] < 0 else names[table[i][j]] for j in columns] for i in rows]
    before = Annotations.from_matrix(table, classes=range(3))
    after = Annotations.from_matrix(moved, classes=["p", "q", "r"])
    for figure in ALL:
        np.testing.assert_allclose(figure(after, n_boot=0).value, figure(before, n_boot=0).value, atol=1e-12)


def test_everybody_says_one_class():
    labels = Annotations.from_matrix([[1, 1, 1], [1, 1, -1]])
    assert observed_agreement(labels).value == gwet_ac1(labels).value == 1.0
    kappa = fleiss_kappa(labels)
    assert np.isnan(kappa.value)
    assert "every label is the same" in kappa.note


def test_a_declared_class_counts_for_ac1_only():
    table = [[0, 0], [1, 1], [0, 1]]
    two, three = (Annotations.from_matrix(table, classes=range(k)) for k in (2, 3))
    assert fleiss_kappa(two).value == fleiss_kappa(three).value
    assert gwet_ac1(two).value == pytest.approx(slow(table, 2)[2])
    assert gwet_ac1(three).value == pytest.approx(slow(table, 3)[2])


@pytest.mark.parametrize("figure", ALL)
def test_nothing_to_pair(figure):
    for labels in (Annotations.from_matrix([[0, -1], [-1, 1]]), Annotations.from_arrays([], [], [])):
        found = figure(labels)
        assert np.isnan(found.value)
        assert (found.n, found.note) == (0, "no task has two labels")


@pytest.mark.parametrize("figure", ALL)
def test_numbers_are_refused(figure):
    with pytest.raises(UnsupportedError, match="use krippendorff_alpha"):
        figure(Annotations.from_matrix([[0.5, 1.0]], kind="number"))
