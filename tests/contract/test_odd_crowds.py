"""Crowds at the edge: nothing, one of anything, ties, silence, known truths, thousands of votes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from manyhands import Annotations
from manyhands.catalog import METHODS
from manyhands.errors import LabelError

from .crowds import CASES, EM, EM_OF_ONE, NAMES, belief, crowd, exact, make

pytestmark = pytest.mark.filterwarnings("ignore::manyhands.errors.ConvergenceWarning")

CLASS = [name for name in NAMES if "class" in METHODS[name].kinds]
NUMBER = [name for name in NAMES if "number" in METHODS[name].kinds]


def _tables(result: Any) -> list[pl.DataFrame]:
    return [result.consensus(), result.tasks(), result.annotators()]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_zero_rows(name: str, kind: str) -> None:
    """Tasks and annotators are declared, and nobody said anything."""
    empty = replace(crowd(kind), rows=())
    result = make(name).fit(empty.table()).result_
    assert result.consensus()["label"].null_count() == len(empty.tasks) or kind in ("tags", "set")
    assert result.annotators()["n"].to_list() == [0] * len(empty.annotators)
    _tables(result)
    if kind not in ("tags", "number"):
        np.testing.assert_allclose(belief(result), 1 / result.labels.n_classes, rtol=1e-5)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_nothing_at_all(name: str, kind: str) -> None:
    nothing = replace(crowd(kind), rows=(), tasks=(), annotators=())
    model = make(name).fit(nothing.table())
    assert [frame.height for frame in _tables(model.result_)] == [0, 0, 0]
    assert len(model.predict()) == 0


@pytest.mark.parametrize("name", CLASS)
def test_no_class_either(name: str) -> None:
    table = Annotations.from_dict({"t0": {}, "t1": {}})
    with pytest.raises(LabelError, match="declare classes="):
        make(name).fit(table)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_one_annotator_is_believed(name: str, kind: str) -> None:
    one = crowd(kind).where(lambda t, j, v: j == "j5")
    result = make(name).fit(one.table()).result_
    said = {t: v for t, _, v in one.rows}
    for task, label in result.consensus().select("task", "label").iter_rows():
        if task not in said:
            assert not label if kind in ("set", "tags") else label is None
        elif kind == "number":
            assert np.isfinite(label)
        elif kind != "soft":
            assert label == said[task]
    _tables(result)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_one_task(name: str, kind: str) -> None:
    one = crowd(kind).where(lambda t, j, v: t == "t0")
    model = make(name).fit(replace(one, tasks=("t0",)).table())
    assert len(model.predict()) == 1
    assert np.isfinite(belief(model.result_)).all()


@pytest.mark.parametrize("name", CLASS)
def test_one_class_is_certain(name: str) -> None:
    """D16: a peer divides by K - 1."""
    given = crowd("class")
    same = replace(given, rows=tuple((t, j, "a") for t, j, _ in given.rows), classes=("a",))
    result = make(name).fit(same.table()).result_
    np.testing.assert_array_equal(result.chances, 1)
    assert result.consensus()["label"].unique().to_list() == ["a"]
    assert result.annotators()["accuracy"].to_list() == pytest.approx([1] * 6)


@pytest.mark.parametrize("name", CLASS)
def test_exact_ties_are_even_and_fall_to_the_first_class(name: str) -> None:
    """D9, D10: peers draw lots from the global generator, or fail where every task is tied."""
    tied = {f"t{i}": {"ann": "x", "bob": "y"} if i % 2 else {"ann": "y", "bob": "x"} for i in range(6)}
    result = exact(name).fit(Annotations.from_dict(tied)).result_
    np.testing.assert_allclose(result.chances, 0.5, atol=1e-9)
    assert result.consensus()["label"].to_list() == ["x"] * 6
    turned = exact(name).fit(Annotations.from_dict(tied, classes=["y", "x"])).result_
    assert turned.consensus()["label"].to_list() == ["y"] * 6


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_silent_annotators_change_nothing(name: str, kind: str) -> None:
    plain = crowd(kind)
    more = replace(plain, annotators=("mute", *plain.annotators, "dumb"))
    one, two = (exact(name).fit(c.table()).result_ for c in (plain, more))
    np.testing.assert_allclose(belief(two), belief(one), rtol=1e-5, atol=1e-6)
    silent = two.annotators().filter(pl.col("annotator").is_in(["mute", "dumb"]))
    assert silent["n"].to_list() == [0, 0]
    if kind != "number":
        assert silent["accuracy"].to_list() == [None, None]
        assert silent["spammer_score"].to_list() == [None, None]
        if name == "ibcc":  # has a prior on accuracies: silence leaves it as it was
            told, width = two.annotators().filter(pl.col("n") > 0), pl.col("high") - pl.col("low")
            assert silent.select(width).to_series().min() > told.select(width).to_series().median()
            return
        assert (silent["low"] < 0.01).all()
        assert (silent["high"] > 0.99).all()


@pytest.mark.parametrize(("name", "kind"), [c for c in CASES if c.values[1] not in ("tags", "set")])
def test_unanswered_and_abstained_tasks_have_no_label(name: str, kind: str) -> None:
    """D7: a peer gives an all-missing task its first class with probability 1."""
    plain = crowd(kind)
    silent = (("t2", plain.annotators[0], None), ("t2", plain.annotators[1], None))
    given = replace(plain, rows=(*(r for r in plain.rows if r[0] not in ("t1", "t2")), *silent))
    table = given.table(missing="abstain")
    result = make(name).fit(table).result_
    label = dict(result.consensus().select("task", "label").iter_rows())
    assert label["t1"] is None
    assert label["t2"] is None
    assert sum(v is None for v in label.values()) == 2
    if kind != "number":
        np.testing.assert_array_equal(result.chances[1], result.chances[2])
    assert result.explain("t1").votes == result.explain("t2").votes == ()


@pytest.mark.parametrize("kind", ["tags", "set"])
@pytest.mark.parametrize("name", [n for n in CLASS if "tags" in METHODS[n].kinds])
def test_unanswered_tasks_of_several_units(name: str, kind: str) -> None:
    given = crowd(kind).where(lambda t, j, v: t != "t1")
    frame = make(name).fit(given.table()).result_.consensus()
    assert frame["label"].to_list()[1] is None
    assert frame["label"].null_count() == 1


@pytest.mark.parametrize("name", EM_OF_ONE)
@pytest.mark.parametrize("where", ["fit", "new"])
@pytest.mark.slow
def test_known_truths_are_certain(name: str, where: str) -> None:
    """Against four annotators of one mind, and for a task that nobody answered."""
    kind = METHODS[name].kinds[0]
    against = 40.0 if kind == "number" else "c"
    plain = crowd(kind)
    rows = tuple(
        (t, j, -3.0 if kind == "number" else "a") if t == "t0" else (t, j, v) for t, j, v in plain.rows
    )
    told = replace(plain, rows=tuple(r for r in rows if r[0] != "t1"))
    table = told.table(truth={"t0": against, "t1": against})
    model = make(name).fit(table if where == "fit" else plain.table())
    result = model.result_ if where == "fit" else model.result_.infer(table)
    assert result.consensus()["label"].to_list()[:2] == [against, against]
    if kind == "number":
        assert result.numbers.sd[:2].tolist() == [0, 0]
    else:
        assert result.chances[:2].tolist() == [[0, 0, 1]] * 2
        assert result.explain("t0").label == "c"
    ignored = make(name, use_truth=False).fit(table).result_.consensus()["label"].to_list()
    assert ignored[0] != against
    assert ignored[1] is None


@pytest.mark.parametrize("name", EM)
def test_known_truths_teach_about_annotators(name: str) -> None:
    """j0 contradicts the gold, j5 agrees with it: fits with and without gold must differ that way."""
    kind = METHODS[name].kinds[0]
    plain = crowd(kind, n_tasks=60)
    gold = {t: v for t, j, v in plain.rows if j == "j0"}
    free, taught = (make(name).fit(plain.table(truth=t)).result_.annotators() for t in (None, gold))
    column = "sd" if kind == "number" else "accuracy"
    worth = [frame[column][0] * (-1 if kind == "number" else 1) for frame in (free, taught)]
    assert worth[1] > worth[0]


@pytest.mark.parametrize("n_votes", [3_000, pytest.param(30_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CLASS)
@pytest.mark.slow
def test_thousands_of_votes_on_one_task(name: str, n_votes: int) -> None:
    """D6, D8: products in linear space underflow to nothing."""
    rng = np.random.default_rng(0)
    task = np.concatenate([np.zeros(n_votes, int), np.repeat(np.arange(1, 31), 20)])
    annotator = np.concatenate([np.arange(n_votes), rng.integers(0, n_votes, 600)])
    truth = np.concatenate([[1], rng.integers(0, 3, 30)])
    wrong = (truth[task] + rng.integers(1, 3, len(task))) % 3
    label = np.where(rng.random(len(task)) < 0.6, truth[task], wrong)
    result = make(name).fit(Annotations.from_arrays(task, annotator, label, repeats="first")).result_
    assert np.isfinite(result.chances).all()
    np.testing.assert_allclose(result.chances.sum(axis=1), 1, atol=1e-5)
    assert result.consensus()["label"][0] == 1
    assert np.isfinite([entry["objective"] for entry in result.history]).all()


@pytest.mark.parametrize("name", NUMBER)
def test_thousands_of_numbers_on_one_task(name: str) -> None:
    rng = np.random.default_rng(0)
    value = rng.normal(7, 1, 3_000)
    table = Annotations.from_arrays(np.zeros(3_000, int), np.arange(3_000), value, kind="number")
    assert make(name).fit(table).predict()[0] == pytest.approx(7, abs=0.1)


@pytest.mark.parametrize("name", NUMBER)
def test_identical_numbers(name: str) -> None:
    table = Annotations.from_matrix(np.full((5, 3), 4.0), kind="number")
    assert make(name).fit(table).predict().tolist() == pytest.approx([4.0] * 5)


@pytest.mark.parametrize("name", [n for n in EM_OF_ONE if "abstention" in make(n).get_params()])
def test_abstentions_that_tell_something(name: str) -> None:
    """Chances stay chances: p(label | truth) sums to one over the labels, "cannot say" among them."""
    plain = crowd(METHODS[name].kinds[0], n_tasks=40)
    rows = tuple((t, j, None if i % 5 == 0 else v) for i, (t, j, v) in enumerate(plain.rows))
    table = replace(plain, rows=rows).table(missing="abstain")
    result = make(name, abstention="inform").fit(table).result_
    log_rows = getattr(result.evidence, "table", result.evidence).log_rows
    rows_sum = np.exp(log_rows.astype(float)).sum(axis=1)
    assert log_rows.shape == (6, 4, 3)
    if name in (
        "one-coin",
        "zencrowd",
        "ordinal-dawid-skene",
    ):  # neither a coin nor a scale has a place for it
        np.testing.assert_array_equal(log_rows[:, 3], 0)
        rows_sum -= 1
    if name == "clustered-annotators":  # a bound: the mean of logarithms
        assert (rows_sum <= 1 + 1e-5).all()
        rows_sum = np.stack([result.confusion(f"j{j}").sum(axis=1) for j in range(6)])
    np.testing.assert_allclose(rows_sum, 1, atol=1e-5)
    _tables(result)
    result.explain("t0")
    new = table[:5]
    assert result.infer(new).chances.shape == (5, 3)
