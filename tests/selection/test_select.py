"""The comparison: figures against a known crowd, no truth in any of them, every kind of label."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands.catalog import CLASSIFIERS, methods_for
from manyhands.errors import ParameterError, UnsupportedError

from ..contract.crowds import crowd as small

FEW = ["majority", "one-coin", "dawid-skene-map"]


@pytest.fixture(scope="module")
def crowd() -> mh.Crowd:
    return mh.simulate("confusion", n_tasks=600, n_annotators=12, n_classes=3, redundancy=6, seed=0)


@pytest.fixture(scope="module")
def chosen(crowd: mh.Crowd) -> mh.Selection:
    return mh.select(crowd.labels, methods=FEW)


def test_the_likelihood_is_that_of_whoever_knows_the_crowd(crowd: mh.Crowd, chosen: mh.Selection) -> None:
    """Between chance and the truth known; and near Bayes with the true matrices, of all other votes."""
    labels, rows = crowd.labels, {row.name: row for row in chosen.methods}
    table = np.log(crowd.confusions)  # [annotators, truth, label]
    scores = np.zeros((labels.n_tasks, 3))
    each = table[labels.annotator, :, labels.answers.values]
    np.add.at(scores, labels.task, each)
    prior = np.log(np.bincount(np.asarray(crowd.truth), minlength=3) / labels.n_tasks)
    others = prior + scores[labels.task] - each
    belief = np.exp(others - others.max(axis=1, keepdims=True))
    belief /= belief.sum(axis=1, keepdims=True)
    bayes = float(np.log((belief * np.exp(each)).sum(axis=1)).mean())
    ours = rows["dawid-skene-map"]
    assert bayes - 0.05 < ours.heldout_log_likelihood < bayes + 2 * ours.se
    assert ours.calibration < 0.05


def test_rows_are_ordered_and_paired(chosen: mh.Selection) -> None:
    likely = [row.heldout_log_likelihood for row in chosen.methods]
    assert likely == sorted(likely, reverse=True)
    best = chosen.methods[0]
    assert (best.behind, best.behind_se) == (0.0, 0.0)
    for row in chosen.methods[1:]:
        assert row.behind == pytest.approx(best.heldout_log_likelihood - row.heldout_log_likelihood)
        assert 0 < row.behind_se < row.se  # votes are hard for all at once: the difference is surer
    assert sum(row.weight for row in chosen.methods) == pytest.approx(1)
    assert next(row for row in chosen.methods if row.name == chosen.pick).differs == 0


def test_truth_is_only_scored(crowd: mh.Crowd, chosen: mh.Selection) -> None:
    told = mh.select(crowd.labels, methods=FEW, truth=list(crowd.truth))
    for one, two in zip(chosen.methods, told.methods, strict=True):
        assert (one.name, one.heldout_log_likelihood, one.weight) == (
            two.name,
            two.heldout_log_likelihood,
            two.weight,
        )
        right = mh.method(one.name).make().fit(crowd.labels).predict() == np.asarray(crowd.truth)
        assert two.truth["accuracy"] == pytest.approx(right.mean())
        assert not one.truth
    assert told.stack_truth["accuracy"] > 0.5


def test_the_seed_decides(crowd: mh.Crowd, chosen: mh.Selection) -> None:
    again = mh.select(crowd.labels, methods=FEW)
    assert chosen.to_dict()["why"] == again.to_dict()["why"]
    assert [r.heldout_log_likelihood for r in chosen.methods] == [
        r.heldout_log_likelihood for r in again.methods
    ]
    other = mh.select(crowd.labels, methods=FEW, random_state=1)
    assert other.methods[0].heldout_log_likelihood != chosen.methods[0].heldout_log_likelihood


def test_the_pick_is_fitted_on_everything(crowd: mh.Crowd, chosen: mh.Selection) -> None:
    fitted = chosen.pick_
    np.testing.assert_array_equal(fitted.predict(), mh.method(chosen.pick).make().fit(crowd.labels).predict())
    part = mh.select(crowd.labels, methods=FEW, max_answers=600)
    assert part.sample[0] == 100
    assert part.sample[1] == 600
    assert "judged on 100 tasks of 600" in part.notes[0]
    assert part.pick_.result_.labels.n_tasks == 600
    assert len(part.consensus()) == 100
    scored = part.scored(np.asarray(crowd.truth))
    assert scored.methods[0].truth["accuracy"] > 0.6


def test_the_stack_and_its_disputes(crowd: mh.Crowd, chosen: mh.Selection) -> None:
    weights = {row.name: row.weight for row in chosen.methods}
    mixed = sum(weights[name] * mh.method(name).make().fit(crowd.labels).predict_proba() for name in FEW)
    assert chosen.consensus()["label"].to_list() == mixed.argmax(axis=1).tolist()  # type: ignore[union-attr]
    disputed = chosen.disputed(FEW)
    said = {name: mh.method(name).make().fit(crowd.labels).predict() for name in FEW}
    differ = np.any([said[name] != said[FEW[0]] for name in FEW], axis=0)
    names = crowd.labels.tasks.to_list()
    assert sorted(disputed["task"].to_list()) == sorted(names[i] for i in np.flatnonzero(differ))
    assert disputed["confidence"].is_sorted()
    with pytest.raises(ParameterError, match="judged are"):
        chosen.disputed(["nobody"])


@pytest.mark.parametrize("kind", ["class", "ordinal", "tags", "set", "soft", "number"])
@pytest.mark.slow
def test_every_method_of_every_kind(kind: str) -> None:
    found = mh.select(small(kind).table(), folds=2)
    assert {row.name for row in found.methods} | set(found.failed) == {m.name for m in methods_for(kind)}
    assert not found.failed
    assert all(np.isfinite(row.heldout_log_likelihood) for row in found.methods)
    assert found.pick in {row.name for row in found.methods}
    assert len(found.consensus()) == 20
    assert "task" in found.disputed().columns
    assert found.why


def test_spammers_are_seen_through() -> None:
    """A method that tells good from bad annotators beats one that cannot, with no truth."""
    crowd = mh.simulate("spammers", n_tasks=400, n_annotators=30, redundancy=5, seed=1)
    found = mh.select(crowd.labels, methods=["majority", "mace"])
    assert found.pick == "mace"
    assert found.methods[1].behind > 5 * found.methods[1].behind_se


def test_one_answer_a_task_tells_nothing() -> None:
    crowd = mh.simulate("confusion", n_tasks=60, n_annotators=5, redundancy=1, seed=0)
    found = mh.select(crowd.labels, methods=["majority", "one-coin"])
    assert not found.trust
    assert "No task has two answers" in found.why


def test_numbers_by_features() -> None:
    crowd = mh.simulate("numbers", n_tasks=80, n_annotators=6, seed=0)
    X = np.column_stack([np.asarray(crowd.truth), np.random.default_rng(0).normal(size=80)])
    fast = {"network": mh.CrowdRegressor(network="linear", epochs=3)}
    found = mh.select(crowd.labels, X, methods=fast, folds=2)
    mean, deviation = found.models["network"].predict(X, return_std=True)
    np.testing.assert_allclose(found.posteriors["network"].mean, mean)  # type: ignore[union-attr]
    np.testing.assert_allclose(found.posteriors["network"].sd, deviation)  # type: ignore[union-attr]
    assert np.isfinite(found.methods[0].heldout_log_likelihood)


class Refusing(mh.MajorityVote):
    """Cannot take what it is given."""

    def fit(self, labels: Any, y: Any = None) -> Any:
        raise UnsupportedError("not today")


def test_what_cannot_be_fitted_is_said(crowd: mh.Crowd) -> None:
    found = mh.select(
        crowd.labels, methods={"plain": "majority", "mine": Refusing(), "ds": mh.DawidSkene(shared=3)}
    )
    assert [row.name for row in found.methods] == ["ds", "plain"]
    assert found.notes == ("mine is missing: not today",)
    with pytest.raises(ParameterError, match="no method could be fitted: not today"):
        mh.select(crowd.labels, methods=[Refusing()])


def test_time_is_up_for_all_alike(crowd: mh.Crowd) -> None:
    found = mh.select(crowd.labels, methods=FEW, max_seconds=0.0)
    assert found.folds == (1, 5)
    assert found.votes == pytest.approx(crowd.labels.n_answers / 5, rel=0.1)
    assert "time was up after 1 of 5 folds" in found.notes[0]


class Slow(mh.MajorityVote):
    """Takes its time."""

    def fit(self, labels: Any, y: Any = None) -> Any:
        time.sleep(0.3)
        return super().fit(labels)


def test_who_is_too_slow_is_left_out_and_said(crowd: mh.Crowd) -> None:
    mh.MajorityVote().fit(crowd.labels)  # so that what is loaded on first use is not counted
    found = mh.select(crowd.labels, methods={"plain": mh.MajorityVote(), "slow": Slow()}, max_seconds=1.0)
    assert [row.name for row in found.methods] == ["plain"]
    assert "too long for max_seconds=1" in found.failed["slow"]
    assert "slow" not in found.posteriors


def test_errors_name_what_is_wrong(crowd: mh.Crowd) -> None:
    for given, words in (
        ({"methods": ["conal"]}, "conal learns from features too: give X"),
        ({"methods": ["mean"]}, "mean does not take labels of kind 'class'"),
        ({"methods": "glad"}, "give a list of names"),
        ({"methods": ["glad", "glad"]}, "under a name of its own"),
        ({"methods": [3]}, "methods holds 3"),
        ({"by": "votes"}, "by='votes' must be one of"),
        ({"by": "features"}, "needs features"),
        ({"X": np.zeros((3, 2))}, "3 rows of features but 600 tasks"),
        ({"max_answers": 1}, "max_answers=1"),
    ):
        with pytest.raises((ParameterError, UnsupportedError, ValueError), match=words):
            mh.select(crowd.labels, **given)


def test_networks_by_features_and_by_labels() -> None:
    crowd = mh.simulate("groups", n_tasks=150, n_annotators=8, n_features=2, seed=0)
    fast = {
        "network": mh.CrowdClassifier(network="linear", epochs=5),
        "layer": mh.CrowdLayer(network="linear", epochs=5),
    }
    found = mh.select(crowd.labels, crowd.features, methods=fast, folds=2)
    assert found.by == "features"
    assert found.pick_.predict(crowd.features).shape == (150,)
    np.testing.assert_allclose(
        found.posteriors["network"].chances, found.models["network"].predict_proba(crowd.features)
    )
    both = mh.select(crowd.labels, crowd.features, methods={**fast, "ds": "one-coin"}, folds=2, by="labels")
    assert {row.name for row in both.methods} == {"network", "layer", "ds"}
    with pytest.raises(ParameterError, match="takes no features"):
        mh.select(crowd.labels, crowd.features, methods=["glad"])
    assert all(m.needs_features for m in CLASSIFIERS.values())
