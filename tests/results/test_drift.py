"""Drift against scipy's t-test, and crowds in which it is known who changed."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from benchmarks.worth import default_result, drift_scores, drifting_crowd
from scipy.stats import ttest_ind

import manyhands as mh
from manyhands.annotations.moments import moment_column, moments
from manyhands.cli.oddities import find_oddities
from manyhands.errors import ParameterError
from manyhands.results import drift


def test_of_numbers_it_is_students_test_of_the_errors() -> None:
    rng = np.random.default_rng(0)
    said = rng.normal(0, 1, (60, 3))
    said[30:, 0] += 1.0
    labels = mh.Annotations.from_matrix(said, kind="number")
    order = np.arange(180) // 3
    labels = mh.Annotations.from_arrays(
        labels.task, labels.annotator, labels.answers.values, kind="number", columns={"order": order}
    )
    result = mh.Mean().fit(labels).result_
    table = result.drift("order")
    error = said - said.mean(axis=1, keepdims=True)
    for j in range(3):
        test = ttest_ind(error[30:, j], error[:30, j])
        interval = test.confidence_interval(0.95)
        assert table["change"][j] == pytest.approx(error[30:, j].mean() - error[:30, j].mean())
        assert (table["low"][j], table["high"][j]) == pytest.approx((interval.low, interval.high))
    assert table["q"][0] < 0.05


def test_of_known_truths_the_spread_has_one_right_and_one_wrong_more_in_each_half() -> None:
    """Two annotators, one of them always right: written out."""
    n = 40
    truth = np.arange(n) % 2
    wrong = np.isin(np.arange(n), [21, 25, 30, 33, 38])
    labels = mh.Annotations.from_arrays(
        np.tile(np.arange(n), 2), np.repeat([0, 1], n), np.concatenate([truth, truth ^ wrong]),
        columns={"timestamp": np.tile(np.arange(n), 2)},
    )  # fmt: skip
    result = mh.DawidSkene().fit(labels.with_truth(dict(enumerate(truth.tolist())))).result_
    right = drift._rightness(result)
    assert right[labels.annotator == 1] == pytest.approx(1.0 - wrong)
    table = result.drift()
    assert table["early"].to_list() == pytest.approx([1.0, 1.0])
    assert table["late"].to_list() == pytest.approx([1.0, 0.75])
    squares = 0.0
    for half in (np.ones(20), 1.0 - wrong[20:]):
        more = np.concatenate([half, [0.0, 1.0]])
        squares += float(((more - more.mean()) ** 2).sum())
    error = np.sqrt(squares / (n + 4 - 2) * (2 / 20))
    assert (table["high"][1] - table["low"][1]) / 2 == pytest.approx(2.0244 * error, rel=1e-3)
    assert table["low"][0] < 0 < table["high"][0]


def test_tasks_that_are_harder_late_are_nobodys_drift() -> None:
    labels, _ = drifting_crowd(200, 0.0, 1, drifting=0, hard_late=True)
    table = default_result(labels).drift()
    assert (table["late"] - table["early"]).mean() < -0.05
    assert (table["q"] > 0.05).all()


def test_who_fell_is_named_and_said_by_check() -> None:
    labels, change = drifting_crowd(300, 0.4, 0)
    table = default_result(labels).drift()
    named = {row["annotator"] for row in table.iter_rows(named=True) if row["q"] <= 0.05}
    assert named >= set(np.flatnonzero(change).tolist())
    assert len(named) <= 12  # ten fell
    odd = {found.name: found for found in find_oddities(labels)}["drift"]
    assert odd.count == len(named)
    assert "early" in odd.examples[0]


def test_few_answers_are_too_few_to_say() -> None:
    labels, _ = drifting_crowd(10, 0.4, 0)
    table = default_result(labels).drift()
    assert table["q"].null_count() == (table["n"] < 20).sum() > 0
    assert table["early"].null_count() == 0


def test_sequences_and_sets_count_answers() -> None:
    for kind in ("tags", "sets", "soft"):
        labels = mh.simulate(kind, n_tasks=60, n_annotators=4, redundancy=4, seed=0).labels
        table = labels.to_frame().with_row_index("order")
        again = mh.Annotations.from_frame(table, kind=labels.kind, columns=["order"])
        found = mh.MajorityVote().fit(again).result_.drift("order")
        assert found["n"].to_list() == [60] * 4
        assert (found["q"] > 0.01).all()


def test_dates_text_and_numbers_put_in_the_same_order() -> None:
    labels, _ = drifting_crowd(60, 0.3, 0)
    day = datetime(2026, 1, 1)
    dates = [day + timedelta(seconds=float(v) * 1e6) for v in labels.columns["timestamp"]]
    first = default_result(labels).drift()
    for column in (dates, [date.isoformat(sep=" ") for date in dates]):
        again = mh.Annotations.from_arrays(
            labels.task, labels.annotator, labels.answers.values, columns={"created_at": column}
        )
        assert default_result(again).drift().equals(first)


def test_which_column_says_when() -> None:
    def column(**columns: list[object]) -> str | None:
        return moment_column(mh.Annotations.from_arrays([0, 1], [0, 0], [0, 1], columns=columns))

    assert column(time=[12.5, 3.0]) is None  # seconds it took
    assert column(time=[1.7e9, 1.7e9 + 5]) == "time"
    assert column(seconds=[1.0, 2.0], created_at=["2026-01-02", None]) == "created_at"
    labels = mh.Annotations.from_arrays([0, 1], [0, 0], [0, 1], columns={"when": ["yesterday", "now"]})
    with pytest.raises(ParameterError, match="no times that can be read"):
        moments(labels, "when")
    with pytest.raises(ParameterError, match="there are: 'when'"):
        moments(labels, "then")
    with pytest.raises(ParameterError, match="no column says when"):
        mh.MajorityVote().fit(labels).result_.drift()


def test_a_file_keeps_when_as_seconds(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "votes.csv"
    path.write_text(
        "task,annotator,label,created_at\nt,ann,x,2026-01-02T00:00:01Z\nu,ann,y,2026-01-03T00:00:00Z\n"
    )
    assert np.diff(mh.read(path).columns["created_at"]).tolist() == [86399.0]


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_they_say_and_falls_are_found() -> None:
    still = [drift_scores(200, 0.0, late, seed) for late in (False, True) for seed in range(10)]
    assert 0.02 <= np.mean([score["alone"] for score in still]) <= 0.08
    assert np.mean([score["any alarm"] for score in still]) <= 0.2
    fell = [drift_scores(200, 0.3, False, seed) for seed in range(6)]
    assert np.mean([score["recall"] for score in fell]) >= 0.8
    assert np.nanmean([score["precision"] for score in fell]) >= 0.9
