"""CrowdClassifier on odd crowds: what is stated in docs/training.md, tested."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import manyhands as mh
from manyhands.errors import LabelError, ManyhandsError, ParameterError, UnsupportedError
from manyhands.models import CrowdClassifier

CROWD = mh.simulate("confusion", n_tasks=300, n_annotators=5, n_features=4, seed=0)
X, LABELS, TRUTH = CROWD.features, CROWD.labels, CROWD.truth
OBJECTIVES = ["joint", "marginal", "em", "em-marginal"]


def model(**options: Any) -> CrowdClassifier:
    return CrowdClassifier(**({"network": "linear", "epochs": 15, "learning_rate": 1e-2} | options))


def accuracy(fitted: CrowdClassifier, truth: np.ndarray = TRUTH) -> float:
    return float((fitted.predict(X) == truth).mean())


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.slow
def test_tasks_without_labels_are_unlabelled(objective: str) -> None:
    part = LABELS.where(LABELS.task < 200)
    fitted = model(objective=objective).fit(X, part)
    assert fitted.result_.chances.shape == (300, 3)
    assert np.isfinite(fitted.result_.chances).all()
    assert np.mean(fitted.predict(X)[200:] == TRUTH[200:]) > 0.6
    if objective != "em-marginal":  # where nobody spoke, the network's word stands
        np.testing.assert_allclose(fitted.result_.chances[200:], fitted.predict_proba(X)[200:], atol=1e-5)


def test_labels_without_features_are_told() -> None:
    with pytest.raises(LabelError, match="299 rows of features but 300 tasks"):
        model().fit(X[1:], LABELS)
    ids = LABELS.tasks.to_list()
    with pytest.raises(LabelError, match="t0"):
        LABELS.align(ids[1:])
    assert model(epochs=1).fit(X[1:], LABELS.align(ids[1:], extra="drop")).result_.labels.n_tasks == 299


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.slow
def test_a_class_that_nobody_gave(objective: str) -> None:
    wider = mh.Annotations.from_arrays(
        LABELS.task, LABELS.annotator, LABELS.answers.values, classes=[0, 1, 2, 3]
    )
    fitted = model(objective=objective).fit(X, wider)
    chances = fitted.predict_proba(X)
    assert chances.shape == (300, 4)
    assert (chances.argmax(axis=1) < 3).all()
    assert np.isfinite(fitted.channel_.confusions().numpy()).all()
    assert fitted.classes_.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.slow
def test_one_annotator_is_a_classifier_of_their_labels(objective: str) -> None:
    fitted = model(objective=objective).fit(X, TRUTH)
    assert accuracy(fitted) > 0.75
    assert fitted.result_.annotators().height == 1


def test_one_class_and_one_task() -> None:
    only = model(epochs=2).fit(X, np.full(300, "spam"))
    assert set(only.predict(X)) == {"spam"}
    single = model(epochs=2).fit(X[:1], LABELS[:1])
    assert single.predict_proba(X).shape == (300, 3)
    assert np.isfinite(single.predict_proba(X)).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.slow
def test_all_adversaries_are_believed_until_most_truth_is_known(objective: str) -> None:
    """Nothing in the labels tells a lying crowd from an honest one whose classes have other names."""
    rng = np.random.default_rng(0)
    truth = (X[:, 0] > 0).astype(int)
    said = np.where(rng.random((300, 5)) < 0.9, 1 - truth[:, None], truth[:, None])
    labels = mh.Annotations.from_matrix(said)
    assert accuracy(model(objective=objective).fit(X, labels), truth) < 0.2
    told = labels.with_truth([int(t) if i < 200 else None for i, t in enumerate(truth)])
    fitted = model(objective=objective, epochs=30).fit(X, told)
    assert accuracy(fitted, truth) > 0.85
    assert (fitted.result_.chances[:200].argmax(axis=1) == truth[:200]).all()
    assert (np.diagonal(fitted.channel_.confusions().numpy(), axis1=1, axis2=2) < 0.4).all()
    assert model(objective=objective, use_truth=False).fit(X, told).predict(X).tolist() == (
        model(objective=objective).fit(X, labels).predict(X).tolist()
    )


def test_a_crowd_without_a_single_label() -> None:
    silent = LABELS.where(np.zeros(LABELS.n_answers, dtype=bool))
    with pytest.raises(LabelError, match="not one label"):
        model().fit(X, silent)
    with pytest.raises(ParameterError, match="y is None"):
        model().fit(X)


def test_kinds_of_labels() -> None:
    soft = mh.Annotations.from_arrays(
        np.arange(300), np.zeros(300, int), np.eye(3)[TRUTH] * 0.8 + 0.2 / 3, kind="soft"
    )
    assert accuracy(model().fit(X, soft)) > 0.75
    grades = mh.Annotations.from_arrays(LABELS.task, LABELS.annotator, LABELS.answers.values, kind="ordinal")
    assert accuracy(model().fit(X, grades)) > 0.6
    numbers = mh.Annotations.from_arrays(np.arange(300), np.zeros(300, int), X[:, 0].tolist(), kind="number")
    with pytest.raises(UnsupportedError, match="'number'"):
        model().fit(X, numbers)


def test_abstentions_are_ignored_or_a_label_more() -> None:
    said = np.array(["a", "b", "c"], dtype=object)[LABELS.answers.values]
    said[::4] = None
    labels = mh.Annotations.from_arrays(LABELS.task, LABELS.annotator, said.tolist(), missing="abstain")
    ignored, told = (model(abstention=a, epochs=2).fit(X, labels) for a in ("ignore", "inform"))
    assert ignored.channel_.confusions().shape == (5, 3, 3)
    assert told.channel_.confusions().shape == (5, 3, 4)


def test_wide_matrices_and_lists() -> None:
    wide = np.full((300, 5), -1)
    wide[LABELS.task, LABELS.annotator] = LABELS.answers.values
    table = mh.Annotations.from_matrix(wide)
    by_matrix = model(epochs=2).fit(X.tolist(), wide)
    np.testing.assert_array_equal(by_matrix.predict_proba(X), model(epochs=2).fit(X, table).predict_proba(X))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


@pytest.mark.slow
def test_a_users_module_is_copied_and_a_factory_called() -> None:
    own = Net()
    before = own.layer.weight.detach().clone()
    first = model(network=own).fit(X, LABELS).predict_proba(X)
    assert torch.equal(own.layer.weight, before)
    np.testing.assert_array_equal(model(network=own).fit(X, LABELS).predict_proba(X), first)
    made = model(network=lambda n_features, n_classes: nn.Linear(n_features, n_classes)).fit(X, LABELS)
    assert made.predict_proba(X).shape == (300, 3)


@pytest.mark.parametrize(
    "weight", [np.ones(299), [np.nan] * 300, [-1.0] * 300, [0.0] * 300, np.ones((300, 2))], ids=str
)
def test_odd_sample_weights_are_told(weight: Any) -> None:
    with pytest.raises(ParameterError, match="sample_weight"):
        model(epochs=1).fit(X, LABELS, sample_weight=weight)


def test_going_on_with_strangers_is_refused() -> None:
    fitted = model(epochs=1).fit(X, LABELS)
    new = mh.Annotations.from_dict({"a": {"nobody": 1}, "b": {"nobody": 2}})
    with pytest.raises(ManyhandsError, match=r"classes|nobody"):
        fitted.partial_fit(X[:2], new)
    stranger = mh.Annotations.from_arrays([0, 1], ["nobody"] * 2, [1, 2], classes=[0, 1, 2])
    with pytest.raises(UnsupportedError, match="nobody"):
        fitted.partial_fit(X[:2], stranger)


def test_pictures_keep_all_their_pixels() -> None:
    pictures = np.random.default_rng(0).normal(size=(300, 1, 8, 8)).astype(np.float32)
    assert model(network="cnn", epochs=1).fit(pictures, LABELS).learner_.settings.input_dropout == 0.0
    fitted = model(epochs=1, input_dropout="auto").fit(X, LABELS)
    assert fitted.learner_.settings.input_dropout == pytest.approx((4 / 304) ** 0.5)


@pytest.mark.slow
def test_the_examples_of_the_page_run() -> None:
    page = Path(__file__).parents[2] / "docs" / "training.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert len(blocks) == 5
    with torch.random.fork_rng():
        exec("\n".join(blocks), {})
