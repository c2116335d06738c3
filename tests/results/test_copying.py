"""Pairs who agree too well, against Bayes' rule and likelihoods written out, and crowds with known copiers."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.worth import DENSE, SPARSE, copying_scores, default_result, named_pairs
from scipy.stats import chi2, false_discovery_control

import manyhands as mh
from manyhands.cli.oddities.believed import believed
from manyhands.cli.oddities.copying import copying_pairs
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.results import copying, lifts
from manyhands.results.false_alarms import q_values


def _crowd(**options: object) -> mh.simulation.Crowd:
    return mh.simulate("copying", n_tasks=300, n_annotators=12, n_classes=4, redundancy=8, seed=0, **options)


def test_the_chance_of_the_same_answer_is_bayes_rule_written_out() -> None:
    labels = mh.simulate("confusion", n_tasks=40, n_annotators=5, n_classes=3, redundancy=4, seed=3).labels
    result = default_result(labels)
    votes, prior = result.votes, np.exp(result.evidence.log_truth.astype(float))
    met = lifts.meetings_of(votes, 1, 0)
    alike = lifts._chances_alike(votes, met.first, met.second, *lifts._seen(result))
    for place in range(0, len(met.pair), 17):
        for way, (a, b) in enumerate(
            ((met.first[place], met.second[place]), (met.second[place], met.first[place]))
        ):
            belief = prior / prior.sum()
            for n in np.flatnonzero(votes.unit == votes.unit[a]):
                if n != b:
                    belief = belief * result.evidence.confusion(votes.annotator[n])[:, votes.label[n]]
            belief /= belief.sum()
            said = result.evidence.confusion(votes.annotator[b])[:, votes.label[a]]
            assert alike[way, place] == pytest.approx(float(belief @ said), abs=2e-3)


def test_the_share_and_its_interval_are_those_of_the_likelihood_on_a_grid() -> None:
    result = default_result(_crowd().labels)
    met = lifts.meetings_of(result.votes, 10, 0)
    found = lifts.agreement_of(result, result.votes, met)
    copied, _ = copying._shares(found)
    low, high = copying._interval(found, copied, 0.95)
    grid = np.linspace(0, copying.MOST, 2000)
    for pair in range(0, len(copied), 7):
        unequal = found.shared[pair] - found.same[pair]
        lift = np.concatenate([found.lift[found.pair == pair], np.zeros(unequal)])
        assert len(lift) == found.shared[pair]
        curve = np.array([np.log(1 - c + c * lift).sum() for c in grid])
        assert copied[pair] == pytest.approx(grid[curve.argmax()], abs=1e-3)
        inside = grid[curve >= curve.max() - chi2.ppf(0.95, 1) / 2]
        assert [low[pair], high[pair]] == pytest.approx([inside[0], inside[-1]], abs=2e-3)


def test_lifts_of_two_who_do_not_copy_are_one_on_average() -> None:
    """Under the model itself: sum over both labels of p(both) times lift is one."""
    rng = np.random.default_rng(0)
    one, two = rng.dirichlet(np.ones(3), (2, 3))
    belief = rng.dirichlet(np.ones(3))
    both = np.einsum("k,ka,kb->ab", belief, one, two)
    lift = 0.5 * (both.sum(axis=1) + both.sum(axis=0)) / np.diag(both)
    assert float(np.diag(both) @ lift) == pytest.approx(1.0)


def test_copying_pairs_are_found_and_nobody_else() -> None:
    crowd = mh.simulate("copying", n_tasks=600, n_annotators=20, n_classes=4, redundancy=8, seed=0)
    true = {frozenset((f"a{j}", f"a{s}")) for j, s in enumerate(crowd.parameters["copies"]) if s >= 0}
    result = default_result(crowd.labels)
    assert named_pairs(result) == true
    (odd,) = copying_pairs(result)
    assert odd.count == len(true)
    assert "alike" in odd.examples[0]


@pytest.mark.parametrize("crowd", ["confusion", "difficulty", "spammers", "common", "groups"])
def test_nobody_is_suspected_where_nobody_copies(crowd: str) -> None:
    labels = mh.simulate(crowd, n_tasks=400, n_annotators=15, n_classes=3, redundancy=6, seed=4).labels
    assert copying_pairs(default_result(labels)) == []


def test_methods_without_matrices_find_them_too() -> None:
    crowd = _crowd()
    wanted = named_pairs(default_result(crowd.labels))
    assert wanted
    for model in (mh.MajorityVote(), mh.GLAD(), mh.Wawa()):
        assert named_pairs(model.fit(crowd.labels).result_) == wanted


def test_the_order_of_the_rows_does_not_matter() -> None:
    table = _crowd().labels.to_frame()
    one, other = (
        default_result(mh.Annotations.from_frame(frame)).copying().rows()
        for frame in (table, table.reverse())
    )
    by_pair = {frozenset(row[:2]): row[2:] for row in other}
    for row in one:
        assert by_pair[frozenset(row[:2])] == pytest.approx(row[2:], abs=1e-3)


def test_sets_are_looked_at_label_by_label_and_others_refused() -> None:
    crowd = mh.simulate("sets", n_tasks=60, n_annotators=6, n_classes=4, redundancy=5, seed=0)
    assert len(mh.DawidSkene(shared=10.0).fit(crowd.labels).result_.copying())
    for kind in ("tags", "numbers", "soft"):
        labels = mh.simulate(kind, n_tasks=30, n_annotators=5, seed=0).labels
        result = believed(labels)
        if result is not None:
            with pytest.raises(UnsupportedError, match="class, ordinal, set"):
                result.copying()
    with pytest.raises(ParameterError, match="level=2"):
        default_result(_crowd().labels).copying(level=2)


def test_nobody_shares_enough() -> None:
    labels = mh.Annotations.from_dict({"t": {"ann": "x", "bob": "y"}, "u": {"ann": "x", "bob": "x"}})
    table = mh.DawidSkene().fit(labels).result_.copying()
    assert len(table) == 0
    assert table.columns == ["one", "two", "shared", "same", "expected", "copied", "low", "high", "q"]


def test_of_a_large_table_annotators_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    result = default_result(_crowd().labels)
    whole = result.copying()
    monkeypatch.setattr(lifts, "MEETINGS", 3000)
    drawn = result.copying(seed=1)
    assert 0 < len(drawn) < len(whole)
    both = whole.join(drawn, on=["one", "two"], suffix=" drawn")
    assert both["copied drawn"].to_numpy() == pytest.approx(both["copied"].to_numpy())
    assert drawn.equals(result.copying(seed=1))


def test_q_values_are_those_of_scipy() -> None:
    p = np.random.default_rng(0).random(50) ** 3
    assert q_values(p) == pytest.approx(false_discovery_control(p))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [DENSE, SPARSE])
def test_nine_of_ten_named_are_copiers_and_four_of_five_copiers_are_named(shape: object) -> None:
    """What was asked for, from 100 shared tasks; several seeds, two and four classes."""
    scores = [copying_scores(shape, classes, 0.8, seed) for classes in (2, 4) for seed in range(4)]  # type: ignore[arg-type]
    assert np.nanmean([score["precision"] for score in scores]) >= 0.9
    assert np.mean([score["recall"] for score in scores]) >= 0.8
