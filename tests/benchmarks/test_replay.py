"""Playing a crowd again: what policies may see, and how labels are counted."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.assignment import model
from benchmarks.forecast import held, moments
from benchmarks.real_crowds import Crowd
from benchmarks.replay import POLICIES, Curve, Replay, curve, labels_needed

import manyhands as mh


@pytest.fixture(scope="module")
def crowd():
    made = mh.simulate("one-coin", n_tasks=60, n_annotators=8, n_classes=2, redundancy=5, seed=0)
    return Crowd("made", made.labels, np.asarray(made.truth))


def test_it_begins_with_one_label_a_task(crowd):
    replay = Replay(crowd, 3, model())
    assert np.bincount(crowd.labels.task[replay.seen]).tolist() == [1] * 60
    assert replay.result.labels.n_answers == 60


@pytest.mark.parametrize("name", POLICIES)
def test_policies_ask_for_hidden_answers_once(crowd, name):
    replay = Replay(crowd, 0, model())
    for n in (30, 200, 10):
        chosen = POLICIES[name](replay, n)
        assert len(set(chosen.tolist())) == len(chosen) == n
        assert not replay.seen[chosen].any()
        replay.reveal(chosen)


def test_round_robin_keeps_tasks_level(crowd):
    replay = Replay(crowd, 0, model())
    replay.reveal(POLICIES["round-robin"](replay, 90))
    assert sorted(np.bincount(crowd.labels.task[replay.seen])) == [2] * 30 + [3] * 30


def test_information_asks_the_pairs_of_greatest_gain(crowd):
    replay = Replay(crowd, 1, model())
    chosen = POLICIES["information"](replay, 5)
    able: dict[str, list[str]] = {}
    for i in np.flatnonzero(~replay.seen):
        able.setdefault(crowd.labels.annotators[int(crowd.labels.annotator[i])], []).append(
            crowd.labels.tasks[int(crowd.labels.task[i])]
        )
    public = mh.assign(replay.result, 5, skills=able)
    assert crowd.labels.task[chosen].tolist() == public.task.tolist()
    assert crowd.labels.annotator[chosen].tolist() == public.annotator.tolist()


def test_all_curves_end_alike(crowd):
    curves = [curve(crowd, policy, 0, 1.0, model()) for policy in POLICIES.values()]
    assert len({float(c.accuracy[0]) for c in curves}) == 1
    assert all(c.labels[-1] == crowd.labels.n_answers for c in curves)
    assert np.ptp([c.accuracy[-1] for c in curves]) < 0.02


def test_labels_needed_by_a_straight_line():
    made = Curve(np.array([10, 20, 30]), np.array([0.5, 0.7, 0.9]))
    assert labels_needed(made, 0.8) == pytest.approx(25)
    assert labels_needed(made, 0.4) == 10
    assert np.isnan(labels_needed(made, 0.95))


def test_the_band_is_held_against_what_came(crowd):
    told = held(crowd, 0, 2, (1.9, 16.0), draws=10)
    assert set(told) == {"votes alone", "default", "gold"}
    assert all(len(points) == 4 and all(width > 0 for _, width in points) for points in told.values())
    a, b = moments([0.05, 0.1, 0.2])
    assert a / (a + b) == pytest.approx(0.35 / 3)
