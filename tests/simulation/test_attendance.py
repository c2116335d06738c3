"""Who answers: counts, activity, and nobody twice."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from manyhands.simulation import attendance, simulate


def by_annotator(made):
    return np.bincount(made.labels.annotator, minlength=made.labels.n_annotators)


@pytest.mark.parametrize("activity", ["uniform", "zipf"])
@pytest.mark.parametrize(("annotators", "redundancy"), [(5, 5), (6, 4), (40, 3), (40, (0, 9)), (30, 2.5)])
def test_nobody_answers_a_task_twice(activity, annotators, redundancy):
    labels = simulate(n_tasks=3000, n_annotators=annotators, redundancy=redundancy, activity=activity).labels
    pairs = set(zip(labels.task.tolist(), labels.annotator.tolist(), strict=True))
    assert len(pairs) == labels.n_answers


def test_how_many_answer():
    count = np.bincount(simulate(n_tasks=6000, redundancy=(2, 5)).labels.task, minlength=6000)
    assert set(count) == {2, 3, 4, 5}
    assert stats.chisquare(np.bincount(count)[2:]).pvalue > 1e-5
    assert set(np.bincount(simulate(redundancy=4).labels.task)) == {4}


def test_a_mean_is_cmm_each_annotator_in_with_a_chance():
    n_tasks, annotators, mean = 20_000, 12, 3.3
    labels = simulate(n_tasks=n_tasks, n_annotators=annotators, redundancy=mean).labels
    count = np.bincount(np.bincount(labels.task, minlength=n_tasks), minlength=annotators + 1)
    expected = n_tasks * stats.binom(annotators, mean / annotators).pmf(np.arange(annotators + 1))
    keep = expected > 5
    assert count[0] > 0
    assert (
        stats.chisquare(count[keep], expected[keep] * count[keep].sum() / expected[keep].sum()).pvalue > 1e-5
    )
    present = np.zeros((n_tasks, annotators))
    present[labels.task, labels.annotator] = 1
    away = np.corrcoef(present.T)[~np.eye(annotators, dtype=bool)]
    assert np.abs(away).max() < 5 / np.sqrt(n_tasks)  # independent of one another


@pytest.mark.parametrize("annotators", [5, 200])
def test_uniform_activity(annotators):
    counts = by_annotator(simulate(n_tasks=20_000, n_annotators=annotators, redundancy=2))
    # Without replacement within a task counts vary less than a multinomial's: never more.
    assert stats.chisquare(counts).pvalue > 1e-5


def test_zipf_slope():
    made = simulate(n_tasks=60_000, n_annotators=2000, redundancy=1, activity="zipf")
    counts, weights = by_annotator(made), made.parameters["activity"]
    assert stats.chisquare(counts, weights * 60_000).pvalue > 1e-5
    busiest = np.sort(counts)[::-1][:100]
    slope = np.polyfit(np.log(np.arange(1, 101)), np.log(busiest), 1)[0]
    assert slope == pytest.approx(-1, abs=0.05)
    assert np.argmax(weights) != 0  # the order is not by activity


@pytest.mark.parametrize("seat", ["_by_sorting", "_by_redrawing"])
def test_drawing_is_one_by_one_from_those_left(seat):
    """Both ways against the chance of each order, counted out by hand."""
    weights = np.array([0.5, 0.3, 0.15, 0.05])
    rng, size = np.random.default_rng(0), 40_000
    draw = attendance._drawer(weights, rng)
    seats = getattr(attendance, seat)(np.full(size, 2), 2, weights, draw, rng)
    pairs = list(permutations(range(4), 2))
    expected = [weights[a] * weights[b] / (1 - weights[a]) * size for a, b in pairs]
    found = [((seats[:, 0] == a) & (seats[:, 1] == b)).sum() for a, b in pairs]
    assert stats.chisquare(found, expected).pvalue > 1e-5


def test_pieces_do_not_show(monkeypatch):
    counts, weights = np.full(50, 3), np.full(40, 1 / 40)
    monkeypatch.setattr(attendance, "PIECE", 30)
    flat = attendance.attend(counts, weights, np.random.default_rng(0))
    assert len(flat) == 150
    assert all(len(set(row)) == 3 for row in flat.reshape(-1, 3).tolist())


def test_silent_annotators_stay_in_the_table():
    made = simulate(n_tasks=2, n_annotators=1000, redundancy=3)
    assert made.labels.n_annotators == 1000
    assert made.labels.summary().silent_annotators >= 994
