"""The face that scikit-learn knows: its own checks, and crowds in place of one column of labels."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest
import sklearn
import torch
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import manyhands as mh
from manyhands.models import CrowdClassifier

# Each with its reason: a task of weight two is one row of a batch, a repeated task is two rows that
# fall into different batches, so the runs of stochastic gradients are of another make-up.
FAILING = {
    "check_sample_weight_equivalence_on_dense_data": "weights and repeated rows make up other batches",
    "check_sample_weight_equivalence_on_sparse_data": "weights and repeated rows make up other batches",
}


QUICK = CrowdClassifier("linear", epochs=6, learning_rate=0.1, batch_size=100)


@parametrize_with_checks([QUICK], expected_failed_checks=lambda estimator: FAILING)
@pytest.mark.slow
def test_scikit_learns_own_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([CrowdClassifier(epochs=30)], expected_failed_checks=lambda estimator: FAILING)
def test_scikit_learns_own_checks_of_the_default(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def crowd() -> Any:
    made = mh.simulate("confusion", n_tasks=150, n_annotators=6, n_features=3, seed=0)
    return made.features, made.labels, made.truth


def small(**options: Any) -> CrowdClassifier:
    return CrowdClassifier("linear", epochs=3, average=0, **options)


def test_pipeline_and_clone(crowd: Any) -> None:
    x, labels, _ = crowd
    whole = make_pipeline(StandardScaler(), small()).fit(x, labels)
    by_hand = small().fit(StandardScaler().fit_transform(x), labels)
    np.testing.assert_array_equal(
        whole.predict_proba(x), by_hand.predict_proba(StandardScaler().fit_transform(x))
    )
    assert clone(whole[-1]).get_params() == whole[-1].get_params()


def test_cross_validation_scores_held_out_annotations(crowd: Any) -> None:
    x, labels, _ = crowd
    found = cross_val_score(small(), x, labels, cv=KFold(3), error_score="raise")
    parts = [np.arange(i, i + 50) for i in (0, 50, 100)]
    for score, test in zip(found, parts, strict=True):
        train = np.setdiff1d(np.arange(150), test)
        model = small().fit(x[train], labels[train])
        assert score == model.score(x[test], labels[test])


def test_an_integer_of_folds_stratifies_by_the_majority(crowd: Any) -> None:
    x, labels, _ = crowd
    assert np.isfinite(cross_val_score(small(), x, labels, cv=5, error_score="raise")).all()


def test_grid_search(crowd: Any) -> None:
    x, labels, _ = crowd
    grid = {"objective": ["joint", "em"], "learning_rate": [1e-6, 1e-2]}
    search = GridSearchCV(small(), grid, cv=KFold(2), error_score="raise").fit(x, labels)
    assert search.best_params_["learning_rate"] == 1e-2
    assert search.best_estimator_.result_.method == "crowd-classifier"


def test_metadata_routing_trains_on_annotations_and_scores_gold(crowd: Any) -> None:
    x, labels, gold = crowd
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), small().set_fit_request(annotations=True))
        found = cross_val_score(
            model, x, gold, cv=KFold(3), params={"annotations": labels}, error_score="raise"
        )
    test, train = np.arange(50), np.arange(50, 150)
    scale = StandardScaler().fit(x[train])
    by_hand = small().fit(scale.transform(x[train]), labels[train]).predict(scale.transform(x[test]))
    assert found[0] == np.mean(by_hand == gold[test])


def test_score_is_the_mean_log_likelihood_of_annotations(crowd: Any) -> None:
    x, labels, gold = crowd
    model = small().fit(x[:100], labels[:100])
    chances, matrices = model.predict_proba(x[100:]), model.channel_.confusions().numpy()
    logs = [
        np.log(chances[task] @ matrices[annotator][:, label])
        for task, annotator, label in zip(*votes(labels[100:]), strict=True)
    ]
    assert model.score(x[100:], labels[100:]) == pytest.approx(np.mean(logs), abs=1e-5)
    assert model.score(x, gold) == np.mean(model.predict(x) == gold)


def test_a_stranger_answers_as_the_average_annotator(crowd: Any) -> None:
    x, labels, _ = crowd
    model = small().fit(x, labels)
    task, annotator, label = votes(labels)
    new = mh.Annotations.from_arrays(
        task, [f"new {j}" for j in annotator], label, classes=[0, 1, 2], tasks=list(range(150))
    )
    chances, matrix = model.predict_proba(x), model.channel_.confusions().numpy().mean(axis=0)
    expected = np.mean([np.log(chances[i] @ matrix[:, k]) for i, k in zip(task, label, strict=True)])
    assert model.score(x, new) == pytest.approx(expected, abs=1e-5)


def votes(labels: mh.Annotations) -> tuple[list[int], list[int], list[int]]:
    return labels.task.tolist(), labels.annotator.tolist(), labels.answers.values.tolist()


def test_pickle_keeps_predictions_and_goes_on(crowd: Any) -> None:
    x, labels, _ = crowd
    model = small().fit(x, labels)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict_proba(x), model.predict_proba(x))
    for each in (twin, model):
        each.partial_fit(x[:20], labels[:20])
    np.testing.assert_array_equal(twin.predict_proba(x), model.predict_proba(x))
    assert len(model.history_) == 4


@pytest.mark.parametrize("objective", ["joint", "marginal", "em", "em-marginal"])
def test_random_state_decides_everything(crowd: Any, objective: str) -> None:
    x, labels, _ = crowd
    model = CrowdClassifier("mlp", epochs=2, objective=objective)  # it has dropout
    first = model.fit(x, labels).predict_proba(x)
    torch.rand(3), np.random.rand(3), random.random()  # noqa: NPY002
    np.testing.assert_array_equal(model.fit(x, labels).predict_proba(x), first)
    np.testing.assert_array_equal(clone(model).fit(x, labels).predict_proba(x), first)
    assert (clone(model).set_params(random_state=1).fit(x, labels).predict_proba(x) != first).any()


def test_global_generators_are_left_alone(crowd: Any) -> None:
    x, labels, _ = crowd
    before = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()  # noqa: NPY002
    model = CrowdClassifier("mlp", epochs=2, validation_fraction=0.2, patience=1).fit(x, labels)
    model.partial_fit(x, labels).predict_proba(x)
    model.score(x, labels)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()  # noqa: NPY002
    assert random.getstate() == before[2]
