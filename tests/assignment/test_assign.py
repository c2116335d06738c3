"""Gains against enumeration of all truths and answers; limits, stopping, pruning, names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manyhands as mh
from manyhands.assignment import assign as module_assign
from manyhands.errors import ParameterError, UnsupportedError

from .tiny import confusions, expected_gain, result_of


def beliefs(n: int, n_classes: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=n)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
def test_the_gain_is_what_enumeration_says(n_classes):
    table, chances = confusions(3, n_classes, 1), beliefs(4, n_classes, 2)
    made = mh.assign(result_of(table, chances), budget=100, per_task=1, exact=True)
    for task, who, gain in zip(made.task, made.annotator, made.gain, strict=True):
        everyone = [expected_gain(chances[task], [table[j]]) for j in range(3)]
        assert gain == pytest.approx(everyone[who], abs=1e-9)
        assert gain == pytest.approx(max(everyone), abs=1e-9)
    assert len(made) == (0 if n_classes == 1 else 4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_second_answer_counts_on_what_the_first_may_say(n_classes):
    table, chances = confusions(4, n_classes, 3), beliefs(3, n_classes, 4)
    made = mh.assign(result_of(table, chances), budget=100, per_task=3)
    for task in range(3):
        of_task = made.task == task
        asked, gains = made.annotator[of_task], made.gain[of_task]
        assert len(asked) == 3
        told = [expected_gain(chances[task], [table[j] for j in asked[:m]]) for m in range(4)]
        assert gains == pytest.approx(np.diff(told), abs=1e-9)


def test_the_batch_is_the_greedy_one():
    """Against a loop that judges every pair anew at every step."""
    table, chances = confusions(4, 2, 5), beliefs(6, 2, 6)
    cost, room = np.array([1.0, 2.0, 1.5, 1.0]), np.array([2.0, 3.0, 1.0, 2.0])
    names = [f"a{j}" for j in range(4)]
    made = mh.assign(
        result_of(table, chances), budget=9, per_task=2,
        cost=dict(zip(names, cost, strict=True)), capacity=dict(zip(names, room, strict=True)),
    )  # fmt: skip
    asked: dict[int, list[int]] = {i: [] for i in range(6)}
    left, pairs = 9.0, []
    while True:
        best, pair = 1e-12, None
        for i in range(6):
            for j in range(4):
                if j in asked[i] or len(asked[i]) == 2 or room[j] < 1 or cost[j] > left:
                    continue
                before = expected_gain(chances[i], [table[h] for h in asked[i]])
                worth = (expected_gain(chances[i], [table[h] for h in [*asked[i], j]]) - before) / cost[j]
                if worth > best + 1e-12:
                    best, pair = worth, (i, j)
        if pair is None:
            break
        asked[pair[0]].append(pair[1])
        room[pair[1]] -= 1
        left -= cost[pair[1]]
        pairs.append(pair)
    assert list(zip(made.task.tolist(), made.annotator.tolist(), strict=True)) == pairs


@given(
    seed=st.integers(0, 10**6),
    budget=st.floats(0, 30),
    per_task=st.integers(1, 3),
    capacity=st.lists(st.integers(0, 4), min_size=3, max_size=3),
    cost=st.lists(st.floats(0.5, 3), min_size=3, max_size=3),
)
def test_limits_are_kept(seed, budget, per_task, capacity, cost):
    rng = np.random.default_rng(seed)
    names, tasks = ["a0", "a1", "a2"], [f"t{i}" for i in range(5)]
    answers = {"t0": {"a0": "c0"}, "t3": {"a1": "c1", "a2": "c0"}}
    able = {"a0": [t for t in tasks if rng.random() < 0.5], "a2": ["t1", "elsewhere"]}
    result = result_of(confusions(3, 2, seed), beliefs(5, 2, seed), answers)
    made = mh.assign(
        result, budget, per_task=per_task, skills=able,
        capacity=dict(zip(names, capacity, strict=True)), cost=dict(zip(names, cost, strict=True)),
    )  # fmt: skip
    rows = made.frame().rows()
    pairs = [(task, who) for task, who, *_ in rows]
    assert len(set(pairs)) == len(pairs)
    assert sum(row[3] for row in rows) <= budget + 1e-9
    assert all(row[3] == dict(zip(names, cost, strict=True))[row[1]] for row in rows)
    for place, name in enumerate(names):
        assert sum(who == name for _, who in pairs) <= capacity[place]
    assert all(sum(t == task for t, _ in pairs) <= per_task for task in tasks)
    assert all(task in able[who] for task, who in pairs if who in able)
    assert not {("t0", "a0"), ("t3", "a1"), ("t3", "a2")} & set(pairs)


@pytest.mark.parametrize("capacity", [None, 30])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_pruned_is_exact_where_it_says_so(n_classes, capacity, monkeypatch):
    table = confusions(20, n_classes, 7, right=4)
    rng = np.random.default_rng(8)
    chances = rng.dirichlet(np.full(n_classes, 0.15), size=3000)
    result = result_of(table, chances)
    whole = mh.assign(result, 60, capacity=capacity, exact=True)
    monkeypatch.setattr(module_assign_file(), "PAIRS", 2000)
    pruned = mh.assign(result, 60, capacity=capacity)
    assert whole.exact
    assert pruned.exact
    assert pruned.ceiling > 0  # something was left out
    assert pruned.frame().equals(whole.frame())


def test_what_may_have_been_missed_is_said(monkeypatch):
    result = result_of(confusions(20, 2, 7), beliefs(3000, 2, 9))
    monkeypatch.setattr(module_assign_file(), "PAIRS", 2000)
    monkeypatch.setattr(module_assign_file(), "MOST_PAIRS", 2000)
    pruned = mh.assign(result, 60, capacity=3)
    assert not pruned.exact
    assert pruned.ceiling > pruned.gain.min()
    whole = mh.assign(result, 60, capacity=3, exact=True)
    assert pruned.gain.sum() < whole.gain.sum() + 1e-9


def test_sure_tasks_and_full_ones_are_settled():
    chances = np.array([[0.97, 0.03], [0.5, 0.5], [0.6, 0.4]])
    result = result_of(confusions(3, 2, 1), chances, {"t2": {"a0": "c0", "a1": "c1"}})
    made = mh.assign(result, 100, confidence=0.95, per_task=3)
    assert set(made.frame()["task"]) == {"t1", "t2"}
    assert (made.n_open, made.n_closed, made.done) == (2, 1, False)
    assert set(mh.assign(result, 100, most=2).frame()["task"]) == {"t0", "t1"}
    done = mh.assign(result, 100, confidence=0.5)
    assert (len(done), done.done) == (0, True)


def test_new_tasks_have_the_prior_and_new_annotators_are_average():
    table = confusions(3, 2, 1)
    result = result_of(table, beliefs(2, 2, 1))
    made = mh.assign(result, 9, tasks=["new", "t1"], annotators=["a1", "stranger"], per_task=2).frame()
    gain = {(t, a): g for t, a, g, _ in made.rows()}
    first = max(("a1", "stranger"), key=lambda who: gain["new", who])
    matrix = {"a1": table[1], "stranger": table.mean(axis=0)}
    assert gain["new", first] == pytest.approx(expected_gain(np.array([0.5, 0.5]), [matrix[first]]), abs=1e-6)
    assert set(made["task"]) == {"new", "t1"}


def test_a_set_gains_the_sum_over_its_labels():
    labels = mh.Annotations.from_dict(
        {"t1": {"ann": ["x"], "bob": ["x", "y"]}, "t2": {"ann": [], "bob": ["y"]}, "t3": {"ann": ["x"]}},
        kind="set",
    )
    result = mh.DawidSkene(right=2, wrong=1).fit(labels).result_
    made = mh.assign(result, 1, annotators=["bob"])
    chances = result.chances.reshape(3, 2, 2).astype(float)[2]
    matrix = result.confusion("bob")
    assert made.frame()["task"].to_list() == ["t3"]
    assert made.gain[0] == pytest.approx(sum(expected_gain(q / q.sum(), [matrix]) for q in chances), abs=1e-5)
    assert set(mh.assign(result, 9, tasks=["t9"]).frame()["task"]) == {"t9"}


def test_numbers_lower_the_variance():
    crowd = mh.simulate("numbers", n_tasks=30, n_annotators=5, redundancy=2, seed=0)
    result = mh.PrecisionWeighted().fit(crowd.labels).result_
    made = mh.assign(result, 1)
    task, who = int(made.task[0]), int(made.annotator[0])
    v = float(result.numbers.sd[task]) ** 2
    after = 1 / (1 / v + float(np.exp(result.evidence.log_precision[who])))
    assert made.gain[0] == pytest.approx(v - after)
    settled = mh.assign(result, 10, sd=float(np.median(result.numbers.sd)))
    assert 0 < settled.n_closed < 30
    assert len(mh.assign(mh.Mean().fit(crowd.labels), 10, per_task=2)) == 10


def test_ability_times_easiness_is_asked_task_by_task():
    crowd = mh.simulate("difficulty", n_tasks=40, n_annotators=6, redundancy=3, seed=0)
    result = mh.GLAD().fit(crowd.labels).result_
    made, seen = mh.assign(result, 5), result.evidence
    for task, who, gain in zip(made.task, made.annotator, made.gain, strict=True):
        right = 1 / (1 + np.exp(-seen.ability[who] * np.exp(seen.log_easiness[task])))
        k = len(result.classes)
        matrix = np.where(np.eye(k, dtype=bool), right, (1 - right) / (k - 1))
        q = result.chances[task].astype(float)
        assert gain == pytest.approx(expected_gain(q / q.sum(), [matrix]), abs=1e-6)


def test_counted_votes_get_the_matrices_that_they_imply():
    crowd = mh.simulate("one-coin", n_tasks=60, n_annotators=6, redundancy=3, seed=0, accuracy=(0.6, 0.9))
    for method in ("majority", "majority-hard", "wawa"):
        made = mh.assign(mh.method(method).make().fit(crowd.labels), 10)
        assert len(made) == 10
        assert (made.gain > 0).all()


def test_the_same_question_has_the_same_answer():
    crowd = mh.simulate("confusion", n_tasks=50, n_annotators=5, redundancy=2, seed=3)
    result = mh.DawidSkene(shared=10, max_iter=20, tol=1).fit(crowd.labels).result_
    first, second = (mh.assign(result, 20, per_task=2, capacity=6).frame() for _ in range(2))
    assert first.equals(second)


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"budget": -1}, "budget"), ({"per_task": 0}, "per_task"), ({"confidence": 2}, "confidence"),
        ({"cost": 0}, "cost"), ({"cost": {"zoe": 1}}, "zoe"), ({"capacity": -1}, "capacity"), ({"cost": "x"}, "cost"),
        ({"skills": ["a0"]}, "skills"), ({"skills": {"zoe": []}}, "zoe"), ({"sd": 1.0}, "confidence"),
        ({"annotators": []}, "nobody"), ({"most": 0.5}, "most"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(given_, says):
    result = result_of(confusions(2, 2, 1), beliefs(2, 2, 1))
    with pytest.raises(ParameterError, match=says):
        mh.assign(result, **({"budget": 3} | given_))


def test_a_new_sequence_has_no_known_length():
    labels = mh.Annotations.from_dict({"t1": {"ann": ["x", "y"], "bob": ["x", "x"]}}, kind="tags")
    result = mh.DawidSkene(right=2, wrong=1).fit(labels).result_
    assert len(mh.assign(result, 5, annotators=["cid"])) == 1
    with pytest.raises(UnsupportedError, match="tokens"):
        mh.assign(result, 5, tasks=["t2"])
    with pytest.raises(UnsupportedError, match="X="):
        mh.assign(result, 5, X=np.zeros((1, 2)))
    with pytest.raises(ParameterError, match="neither"):
        mh.assign(labels, 5)


def module_assign_file():
    """The module; the room exports a function of its name."""
    import sys

    return sys.modules[module_assign.__module__]
