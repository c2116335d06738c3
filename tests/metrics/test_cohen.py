from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from manyhands import Annotations
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import cohen_kappa, mean_cohen_kappa

from .tables import ABSTRACTORS, pairs_of


def crowd(seed=0, n=60, r=6, k=3, missing=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    table = np.where(rng.random((n, r)) < 0.6, truth[:, None], rng.integers(k, size=(n, r)))
    table[rng.random((n, r)) < missing] = -1
    return table


def slow_mean(table, min_shared):
    kappas, weights = [], []
    for a, b in combinations(range(table.shape[1]), 2):
        both = (table[:, a] >= 0) & (table[:, b] >= 0)
        x, y = table[both, a], table[both, b]
        if both.sum() >= min_shared and len({*x, *y}) > 1:
            kappas.append(cohen_kappa_score(x, y))
            weights.append(both.sum())
    return np.average(kappas, weights=weights), len(kappas)


def test_published_example():
    """irrCAC, vignette "overview": kappa2.table of cont3x3abstractors; its interval is (0.68, 0.913)."""
    figure = cohen_kappa(pairs_of(ABSTRACTORS), 0, 1, n_boot=4000)
    assert figure.value == pytest.approx(0.7964094, abs=5e-8)
    assert (figure.low, figure.high, figure.n) == (
        pytest.approx(0.68, abs=0.02),
        pytest.approx(0.913, abs=0.02),
        100,
    )


@pytest.mark.parametrize("seed", range(3))
def test_each_pair_equals_scikit_learn(seed):
    table = crowd(seed)
    labels = Annotations.from_matrix(table, annotators=list("uvwxyz"))
    for a, b in combinations(range(6), 2):
        both = (table[:, a] >= 0) & (table[:, b] >= 0)
        figure = cohen_kappa(labels, "uvwxyz"[a], "uvwxyz"[b], n_boot=0)
        assert figure.value == pytest.approx(cohen_kappa_score(table[both, a], table[both, b]))
        assert figure.n == both.sum()


@pytest.mark.parametrize(("n", "missing", "min_shared"), [(60, 0.3, 5), (12, 0.5, 1), (40, 0.7, 4)])
def test_mean_equals_scikit_learn_pair_by_pair(n, missing, min_shared):
    table = crowd(3, n=n, missing=missing)
    figure = mean_cohen_kappa(Annotations.from_matrix(table), min_shared=min_shared)
    mean, pairs = slow_mean(table, min_shared)
    assert (figure.value, figure.n) == (pytest.approx(mean), pairs)
    assert figure.low < figure.value < figure.high


@pytest.mark.slow
def test_interval_of_the_mean_is_that_of_a_full_bootstrap():
    """The linear form against the real thing: every pair's kappa again on every resample."""
    table = crowd(5, n=150, r=5)
    figure = mean_cohen_kappa(Annotations.from_matrix(table))
    rng = np.random.default_rng(1)
    drawn = [slow_mean(table[rng.integers(150, size=150)], 5)[0] for _ in range(200)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert figure.low == pytest.approx(low, abs=0.2 * (high - low))
    assert figure.high == pytest.approx(high, abs=0.2 * (high - low))


def test_order_of_annotators_and_tasks_does_not_matter():
    table = crowd(7)
    before = mean_cohen_kappa(Annotations.from_matrix(table), n_boot=0)
    after = mean_cohen_kappa(Annotations.from_matrix(table[::-1, [3, 1, 5, 0, 4, 2]]), n_boot=0)
    assert after.value == pytest.approx(before.value)
    assert after.n == before.n


def test_few_shared_tasks_have_no_figure_and_say_why():
    figure = mean_cohen_kappa(Annotations.from_matrix(crowd(n=3)))
    assert np.isnan(figure.value)
    assert "no two annotators share 5 units" in figure.note


def test_same_class_throughout_is_undefined():
    labels = Annotations.from_matrix(np.ones((8, 2), int))
    assert np.isnan(cohen_kappa(labels, 0, 1).value)
    assert np.isnan(mean_cohen_kappa(labels).value)


def test_nothing_shared():
    labels = Annotations.from_matrix([[0, -1, 1], [-1, 1, 0]])
    assert cohen_kappa(labels, 0, 1).note == "no task has two labels"
    assert np.isnan(mean_cohen_kappa(Annotations.from_arrays([], [], [])).value)


def test_a_repeated_answer_does_not_meet_itself():
    task, annotator, label = [0, 0, 0, 1, 1], [0, 0, 1, 0, 1], [0, 1, 0, 1, 1]
    labels = Annotations.from_arrays(task, annotator, label, repeats="all")
    figure = cohen_kappa(labels, 0, 1, n_boot=0)
    assert figure.n == 3  # both answers of annotator 0 to task 0 meet annotator 1
    assert figure.value == pytest.approx(cohen_kappa_score([0, 1, 1], [0, 0, 1]))


def test_busy_crowds_are_sampled_by_annotator(monkeypatch):
    table = crowd(9, n=80, r=30, missing=0.1)
    labels = Annotations.from_matrix(table)
    monkeypatch.setattr("manyhands.metrics.pairs.MAX_MEETINGS", 5000)
    figure = mean_cohen_kappa(labels)
    assert 1 < figure.n < 30 * 29 / 2
    drawn = int(figure.note.split()[2])
    assert figure.n == drawn * (drawn - 1) / 2
    assert "of 30 annotators, drawn at random" in figure.note
    assert mean_cohen_kappa(labels) == figure
    assert figure.value == pytest.approx(slow_mean(table, 5)[0], abs=0.1)


def test_unknown_annotator_and_numbers_are_refused():
    labels = Annotations.from_matrix([[0, 1]], annotators=["ann", "bob"])
    with pytest.raises(ParameterError, match="annotator 'eve' is not in the table"):
        cohen_kappa(labels, "ann", "eve")
    with pytest.raises(ParameterError, match="the same annotator"):
        cohen_kappa(labels, "ann", "ann")
    with pytest.raises(ParameterError, match="min_shared=0"):
        mean_cohen_kappa(labels, min_shared=0)
    with pytest.raises(UnsupportedError, match="kind='number'"):
        mean_cohen_kappa(Annotations.from_matrix([[0.5, 1.0]], kind="number"))
