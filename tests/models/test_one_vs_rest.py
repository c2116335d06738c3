from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import manyhands as mh
from manyhands.catalog import METHODS
from manyhands.errors import ParameterError, UnsupportedError

CROWD = mh.simulate("sets", n_tasks=80, n_annotators=6, n_classes=3, redundancy=4, n_features=3, seed=0)
AGGREGATORS = [name for name, entry in METHODS.items() if "set" in entry.kinds]


@pytest.mark.parametrize("name", AGGREGATORS)
@pytest.mark.slow
def test_every_aggregator_label_by_label(name: str) -> None:
    model = mh.OneVsRest(METHODS[name].make()).fit(CROWD.labels)
    for k in range(3):
        alone = METHODS[name].make().fit(CROWD.labels.of_label(k)).predict_proba()[:, 1]
        np.testing.assert_array_equal(model.predict_proba()[:, k], alone)
    new = CROWD.labels[:20]
    expected = [model.estimators_[k].predict_proba(new.of_label(k))[:, 1] for k in range(3)]
    np.testing.assert_array_equal(model.predict_proba(new), np.column_stack(expected))
    assert model.result_.consensus()["label"].to_list() == model.predict().tolist()
    assert len(model.result_.annotators()) == 6
    assert model.result_.explain("t3").task == "t3"


@pytest.mark.slow
def test_each_label_has_rates_and_a_prior_of_its_own() -> None:
    """One label is rare and surely seen, the other common and overlooked by the same people."""
    rng = np.random.default_rng(0)
    truth = rng.random((2000, 2)) < np.array([0.05, 0.6])
    hit = np.array([0.95, 0.55])
    task, who = np.repeat(np.arange(2000), 5), np.tile(np.arange(5), 2000)
    said = np.where(truth[task], rng.random((10000, 2)) < hit, rng.random((10000, 2)) < 0.02)
    labels = mh.Annotations.from_arrays(task, who, [np.flatnonzero(row).tolist() for row in said], kind="set")
    model = mh.OneVsRest(mh.DawidSkene(shared=10)).fit(labels)
    for k, (share, rate) in enumerate(((0.05, 0.95), (0.6, 0.55))):
        result = model.estimators_[k].result_
        assert np.exp(result.evidence.log_truth)[1] == pytest.approx(share, abs=0.02)
        np.testing.assert_allclose([result.confusion(j)[1, 1] for j in range(5)], rate, atol=0.06)
    pooled = mh.DawidSkene(shared=10).fit(labels).predict_proba()[:, 1].reshape(-1, 2)
    assert ((model.predict_proba() > 0.5) == truth).mean() >= ((pooled > 0.5) == truth).mean()


def test_classifiers_too() -> None:
    model = mh.OneVsRest(mh.CrowdClassifier("linear", epochs=2)).fit(CROWD.features, CROWD.labels)
    alone = mh.CrowdClassifier("linear", epochs=2).fit(CROWD.features, CROWD.labels.of_label(1))
    np.testing.assert_array_equal(
        model.predict_proba(CROWD.features)[:, 1], alone.predict_proba(CROWD.features)[:, 1]
    )
    assert model.predict(CROWD.features).shape == (80,)


def test_parameters_reach_inward() -> None:
    model = mh.OneVsRest(mh.DawidSkene(shared=10)).set_params(estimator__shared=3)
    assert clone(model).get_params()["estimator__shared"] == 3
    assert mh.OneVsRest(mh.GLAD()).set_params(estimator=mh.MACE()).estimator.name == "mace"
    with pytest.raises(NotFittedError):
        model.predict()


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="estimator=None of OneVsRest"):
        mh.OneVsRest().fit(CROWD.labels)
    with pytest.raises(ParameterError, match="DawidSkene takes labels alone"):
        mh.OneVsRest(mh.DawidSkene()).fit(CROWD.features, CROWD.labels)
    with pytest.raises(UnsupportedError, match="for sets of labels"):
        mh.OneVsRest(mh.DawidSkene()).fit(CROWD.labels.of_label(0))
    with pytest.raises(UnsupportedError, match="save each by itself"):
        mh.OneVsRest(mh.MajorityVote()).fit(CROWD.labels).result_.save(tmp_path)
