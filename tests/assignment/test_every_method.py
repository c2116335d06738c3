"""Every method of the catalogue on every kind of label: questions come, within what may be gained."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import manyhands as mh
from manyhands.assignment import Live, annotators, forecast
from manyhands.errors import ConvergenceWarning

CROWDS = {
    "class": "confusion",
    "ordinal": "ordinal",
    "number": "numbers",
    "tags": "tags",
    "set": "sets",
    "soft": "soft",
}
PAIRS = [(name, kind) for name, method in mh.METHODS.items() for kind in method.kinds]


@pytest.fixture(scope="module")
def tables():
    return {
        kind: mh.simulate(name, n_tasks=25, n_annotators=5, redundancy=2, seed=1).labels
        for kind, name in CROWDS.items()
    }


def fitted(name, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mh.method(name).make().fit(labels).result_


@pytest.mark.parametrize(("name", "kind"), PAIRS)
@pytest.mark.slow
def test_questions_come(tables, name, kind):
    labels = tables[kind]
    result = fitted(name, labels)
    made = mh.assign(result, 8, per_task=2, capacity=3)
    assert np.isfinite(made.gain).all()
    assert (made.gain > 0).all()
    assert (np.diff(made.gain) <= 1e-9).all()
    answered = set(zip(labels.task.tolist(), labels.annotator.tolist(), strict=True))
    assert not answered & set(zip(made.task.tolist(), made.annotator.tolist(), strict=True))
    assert len(made) == 8 or "majority" in name or "glad" in name or "wawa" in name  # some are sure at once
    if kind != "tags":
        new = mh.assign(result, 2, tasks=["never seen"], per_task=2)
        assert 0 < len(new) <= 2


@pytest.mark.parametrize("name", [m.name for m in mh.METHODS.values() if "class" in m.kinds])
@pytest.mark.slow
def test_annotators_forecasts_and_live_answers_go_with_it(tables, name):
    labels = tables["class"]
    result = fitted(name, labels)
    assert len(annotators(result)) == 5
    told = forecast(result, 10, draws=5)
    assert ((told["low"] >= 0) & (told["high"] <= 1)).all()
    live = Live(result)
    task = live.ask("a0")
    live.add(task, "a0", live.classes[0])
    live.settle(3)
    chances = np.array([live.chances(t) for t in labels.tasks])
    assert chances.sum(axis=1) == pytest.approx(1)


def test_abstentions_that_inform_are_answers_too():
    rng = np.random.default_rng(0)
    matrix = [[("x", "y", None)[int(v)] for v in rng.integers(0, 3, 5)] for _ in range(20)]
    frame = {f"t{i}": {f"a{j}": v for j, v in enumerate(row)} for i, row in enumerate(matrix)}
    labels = mh.Annotations.from_dict(frame, missing="abstain", classes=["x", "y"])
    result = mh.DawidSkene(right=2, wrong=1, abstention="inform").fit(labels[:15]).result_
    assert len(mh.assign(result, 4, tasks=["t16", "t17"], per_task=2)) == 4
    assert len(annotators(result)) == 5
    assert forecast(result, 5, draws=3)["labels"].to_list() == [0, 5]
    live = Live(result)
    live.add("t18", "new", "x")
    assert live.chances("t18")[0] > 0


@pytest.mark.slow
def test_a_network_for_numbers_is_asked_like_its_result():
    rng = np.random.default_rng(0)
    labels = mh.Annotations.from_matrix(rng.normal(size=(20, 4)), kind="number")
    seen = labels.where(np.arange(80) % 3 > 0)
    model = mh.CrowdRegressor(epochs=2).fit(rng.normal(size=(20, 2)), seen)
    assert len(mh.assign(model, 5)) == 5
    assert set(mh.assign(model, 3, tasks=["new"], annotators=["stranger", 0]).frame()["task"]) == {"new"}
    assert len(annotators(model)) == 4
