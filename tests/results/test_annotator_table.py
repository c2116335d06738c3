"""What is said of annotators: intervals that cover, spam scores, lean."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.stats import beta

import manyhands as mh
from manyhands import Annotations
from manyhands.errors import ParameterError, UnsupportedError


def _coins(
    seed: int, accuracy: np.ndarray, n_votes: int, n_tasks: int, k: int
) -> tuple[Annotations, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_tasks)
    task = np.argsort(rng.random((len(accuracy), n_tasks)), axis=1)[:, :n_votes].ravel()
    annotator = np.repeat(np.arange(len(accuracy)), n_votes)
    right = rng.random(len(task)) < accuracy[annotator]
    label = np.where(right, truth[task], (truth[task] + rng.integers(1, k, len(task))) % k)
    return Annotations.from_arrays(task, annotator, label, tasks=range(n_tasks), classes=range(k)), truth


def test_known_truths_give_the_beta_interval() -> None:
    """Seven right of nine: Jeffreys' Beta(7.5, 2.5), nothing more."""
    label = [0] * 7 + [1] * 2
    table = Annotations.from_arrays(range(9), [0] * 9, label, classes=[0, 1], truth=[0] * 9)
    row = mh.OneCoin().fit(table).result_.annotators(level=0.9).row(0, named=True)
    assert row["accuracy"] == pytest.approx(7 / 9)
    assert (row["low"], row["high"]) == pytest.approx(beta.ppf([0.05, 0.95], 7.5, 2.5))


@pytest.mark.parametrize(
    "votes_a_task", [30, pytest.param(6, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("method", ["one-coin", "dawid-skene-map"])
def test_intervals_cover(method: str, votes_a_task: int) -> None:
    """200 annotators with 30 votes each: 95 of 100 intervals hold the true accuracy."""
    accuracy = np.random.default_rng(7).uniform(0.5, 0.95, 200)
    covered = []
    for seed in range(3):
        table, _ = _coins(seed, accuracy, 30, 200 * 30 // votes_a_task, 3)
        frame = mh.method(method).make(max_iter=300).fit(table).result_.annotators().sort("annotator")
        low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
        covered.append(((low <= accuracy) & (accuracy <= high)).mean())
    # Four votes a task leave much doubt, and an annotator's own vote sways what it is judged by.
    assert (0.87 if votes_a_task == 4 else 0.90) < np.mean(covered) < 0.985, covered


def test_spammers_and_the_perfect() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    said = np.column_stack(
        [
            truth,
            truth,
            truth,
            (truth + 1) % 3,
            rng.integers(0, 3, 600),
            np.full(600, 2),
            np.where(rng.random(600) < 0.6, truth, 0),
        ]
    )
    frame = mh.DawidSkene().fit(Annotations.from_matrix(said, truth=truth)).result_.annotators()
    score = frame["spammer_score"].to_numpy()
    assert score[:4] == pytest.approx(1, abs=0.02)  # always wrong in one way tells the truth as well
    assert score[4:6] == pytest.approx(0, abs=0.02)
    assert 0.2 < score[6] < 0.8
    assert frame["overuses"].to_list()[5:] == [2, 0]
    lean = (said[:, 5] == 2).mean() - (truth == 2).mean()
    assert frame["bias"][5] == pytest.approx(lean)
    assert frame["bias"][0] == pytest.approx(0)
    assert frame["overuses"][0] is None


def test_numbers_have_bias_and_scatter_about_the_consensus() -> None:
    """The consensus is in doubt itself: its variance is part of what is expected of each square."""
    value = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.5]])
    result = mh.Mean().fit(Annotations.from_matrix(value, kind="number")).result_
    frame, error = result.annotators(), value - value.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(frame["bias"], error.mean(axis=0))
    squares = ((error - error.mean(axis=0)) ** 2 + result.numbers.sd[:, None] ** 2).sum(axis=0)
    np.testing.assert_allclose(frame["sd"], np.sqrt(squares / 2))
    np.testing.assert_allclose(frame["precision"], 2 / squares)
    assert (frame["low"] < frame["bias"]).all()


def test_known_truths_give_the_textbook_intervals() -> None:
    """Where all truths are told, a line of answers over truths is scipy's, a variance that of chi squared."""
    rng = np.random.default_rng(0)
    truth = rng.normal(5, 2, 12)
    value = truth[:, None] * [1.0, 0.5] + [0.3, 2.0] + rng.normal(size=(12, 2)) * [0.2, 1.0]
    labels = Annotations.from_matrix(value, kind="number", truth=truth)
    frame = mh.PrecisionWeighted().fit(labels).result_.annotators(0.9)
    for j in range(2):
        line = stats.linregress(truth, value[:, j])
        assert frame["scale"][j] == pytest.approx(line.slope)
        wide = stats.t.ppf(0.95, 10) * line.stderr
        assert frame["scale_high"][j] - frame["scale"][j] == pytest.approx(wide)
        error = value[:, j] - truth
        assert (frame["low"][j], frame["high"][j]) == pytest.approx(
            stats.t.interval(0.9, 11, error.mean(), stats.sem(error))
        )
        squares = 11 * error.var(ddof=1)
        ends = stats.chi2.ppf([0.05, 0.95], 11) / squares
        assert (frame["precision_low"][j], frame["precision_high"][j]) == pytest.approx(tuple(ends))


def test_intervals_of_annotators_cover_what_was_simulated() -> None:
    crowd = mh.simulate("numbers", n_tasks=400, n_annotators=40, redundancy=6, scale=(1.0, 1.0), seed=3)
    frame = mh.PrecisionWeighted().fit(crowd.labels).result_.annotators()
    known = crowd.parameters
    low, high = (frame[f"precision_{end}"].to_numpy() for end in ("low", "high"))
    held = (low < known["precision"]) & (known["precision"] < high)
    assert held.mean() > 0.85
    lean = known["bias"] - known["bias"].mean()  # a bias of all is no one's
    bias = frame["bias"].to_numpy()
    np.testing.assert_allclose(bias - bias.mean(), lean, atol=0.4)
    assert ((frame["scale_low"] < 1) & (frame["scale_high"] > 1)).mean() > 0.85


def test_confusion_on_demand() -> None:
    matrix = [[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]]
    table = Annotations.from_matrix(matrix, truth=[0, 1, 0, 1])
    result = mh.DawidSkene().fit(table).result_
    np.testing.assert_allclose(result.confusion(1), [[0.5, 0.5], [0.5, 0.5]], atol=1e-6)
    counted = mh.MajorityVote(voting="hard").fit(table).result_.confusion(1)
    np.testing.assert_allclose(counted, [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ParameterError, match="annotator 9"):
        result.confusion(9)
    numbers = mh.Mean().fit(Annotations.from_matrix([[1.0, 2.5]], kind="number")).result_
    with pytest.raises(UnsupportedError, match="numbers"):
        numbers.confusion(0)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_levels_are_shares(level: float) -> None:
    result = mh.MajorityVote().fit(Annotations.from_matrix([[0, 1]])).result_
    with pytest.raises(ParameterError, match=f"level={level}"):
        result.annotators(level)


def test_a_wider_level_is_a_wider_interval() -> None:
    result = mh.MajorityVote().fit(Annotations.from_matrix(np.eye(4, dtype=int))).result_
    wide, narrow = result.annotators(0.99), result.annotators(0.5)
    assert (wide["low"] < narrow["low"]).all()
    assert (wide["high"] > narrow["high"]).all()
    assert wide.schema["n"] == pl.Int64
