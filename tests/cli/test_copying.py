from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.cli.oddities import copying
from manyhands.cli.oddities.copying import copying_pairs


def test_copying_pairs_are_found_and_nobody_else(monkeypatch):
    monkeypatch.setattr("manyhands.cli.oddities.oddity.SHOWN", 1000)
    monkeypatch.setattr(copying, "SHOWN", 1000)
    crowd = mh.simulate("copying", n_tasks=600, n_annotators=20, n_classes=4, redundancy=8, seed=0)
    true = {frozenset((f"a{j}", f"a{s}")) for j, s in enumerate(crowd.parameters["copies"]) if s >= 0}
    (odd,) = copying_pairs(crowd.labels)
    named = {frozenset((example.split("'")[1], example.split("'")[3])) for example in odd.examples}
    assert named <= true
    assert len(named) >= len(true) - 1


@pytest.mark.parametrize("crowd", ["confusion", "difficulty", "spammers", "common", "groups"])
def test_nobody_is_suspected_where_nobody_copies(crowd):
    labels = mh.simulate(crowd, n_tasks=400, n_annotators=15, n_classes=3, redundancy=6, seed=4).labels
    assert copying_pairs(labels) == []


def test_the_chance_of_the_same_answer_is_bayes_rule_written_out():
    labels = mh.simulate("confusion", n_tasks=40, n_annotators=5, n_classes=3, redundancy=4, seed=3).labels
    result = copying._fitted(labels)
    votes = result.votes
    first, second = copying._meetings(votes.unit)
    pairs = [
        (a, b)
        for a in range(len(votes.unit))
        for b in range(a + 1, len(votes.unit))
        if votes.unit[a] == votes.unit[b]
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == pairs
    chance = copying._chance_of_same(result, first, second)
    prior = np.exp(result.evidence.log_truth.astype(float))
    for place in range(0, len(pairs), 17):
        a, b = pairs[place]
        belief = prior / prior.sum()
        for n in np.flatnonzero(votes.unit == votes.unit[a]):
            if n != b:
                belief = belief * result.evidence.confusion(votes.annotator[n])[:, votes.label[n]]
        belief /= belief.sum()
        said = result.evidence.confusion(votes.annotator[b])[:, votes.label[a]]
        assert chance[place] == pytest.approx(float(belief @ said), abs=2e-3)


def test_a_large_table_is_drawn_from(monkeypatch):
    labels = mh.simulate("copying", n_tasks=400, n_annotators=10, n_classes=3, redundancy=6, seed=1).labels
    monkeypatch.setattr(copying, "MEETINGS", 1500)
    drawn = copying._drawn(labels, seed=0)
    assert drawn.n_tasks == 100
    assert drawn.equals(copying._drawn(labels, seed=0))
