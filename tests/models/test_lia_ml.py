"""LIA-ML: labels that share a network, and labels that come later."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import manyhands as mh
from manyhands import Annotations
from manyhands.errors import ParameterError, UnsupportedError

QUICK: dict[str, Any] = {"rounds": 4, "steps": 60, "fine_tuning": 60, "learning_rate": 5e-3}


class Round(NamedTuple):
    """Labels that look in directions of a plane; the last one came later."""

    x: np.ndarray
    truth: np.ndarray
    directions: np.ndarray
    task: np.ndarray
    annotator: np.ndarray
    said: np.ndarray

    def table(self, labels: list[int], n_tasks: int) -> Annotations:
        """Answers about these labels of the first tasks."""
        keep = self.task < n_tasks
        sets = [[f"L{k}" for k in labels if row[k]] for row in self.said[keep]]
        return Annotations.from_arrays(
            self.task[keep], self.annotator[keep], sets, kind="set", classes=[f"L{k}" for k in labels],
            tasks=range(n_tasks), annotators=range(6),
        )  # fmt: skip


@cache
def world(n_labels: int = 16, n_tasks: int = 600) -> Round:
    rng = np.random.default_rng(0)
    angle = np.append(np.linspace(0, 2 * np.pi, n_labels - 1, endpoint=False), 0.7)
    directions = np.column_stack([np.cos(angle), np.sin(angle)])
    x = rng.normal(size=(n_tasks, 4))
    truth = (x[:, :2] @ directions.T > 0.3).astype(int)
    task = np.repeat(np.arange(n_tasks), 3)
    annotator = np.concatenate([rng.permutation(6)[:3] for _ in range(n_tasks)])
    right = rng.random((len(task), n_labels)) < np.linspace(0.7, 0.95, 6)[annotator][:, None]
    return Round(x, truth, directions, task, annotator, np.where(right, truth[task], 1 - truth[task]))


def test_the_paper_s_settings_of_batches_and_rounds() -> None:
    made = world()
    model = mh.LIAML(rounds=2, steps=20, fine_tuning=5).fit(made.x[:100], made.table(list(range(4)), 100))
    assert model.learner_.settings.batch_size == 341  # pairs that have 1024 yeses and noes, three each
    assert model.channel_.spec.label_embedding == 16
    assert [e["phase"] for e in model.history_] == ["em"] * 20 + ["marginal"] * 3


@pytest.mark.slow
def test_a_label_that_came_later() -> None:
    made, old = world(), list(range(15))
    model = mh.LIAML(**QUICK).fit(made.x, made.table(old, 600))
    before = model.predict_proba(made.x)
    assert ((before > 0.5) == made.truth[:, :15]).mean() > 0.93
    wider = model.with_labels(made.x[:30], made.table([15], 30))
    after = wider.predict_proba(made.x)
    np.testing.assert_array_equal(after[:, :15], before)
    assert wider.classes_.tolist() == [f"L{k}" for k in range(16)]
    assert roc_auc_score(made.truth[30:, 15], after[30:, 15]) > 0.93
    silent = model.with_labels(made.x[:30], made.table([15], 30), steps=0).predict_proba(made.x)
    assert roc_auc_score(made.truth[30:, 15], silent[30:, 15]) < 0.8
    assert model.predict_proba(made.x).shape == (600, 15)


@pytest.mark.slow
def test_a_described_label_needs_no_answer() -> None:
    made, old = world(), list(range(15))
    model = mh.LIAML(label_features=made.directions[:15], **QUICK).fit(made.x, made.table(old, 600))
    wider = model.with_labels(
        made.x[:5], made.table([15], 0).align(range(5)), label_features=made.directions[15:]
    )
    chances = wider.predict_proba(made.x)[:, 15]
    assert roc_auc_score(made.truth[:, 15], chances) > 0.97
    assert ((chances > 0.5) == made.truth[:, 15]).mean() > 0.88


def test_wider_models_are_saved_whole(tmp_path: Path) -> None:
    made = world()
    short: dict[str, Any] = {"rounds": 1, "steps": 3, "fine_tuning": 0}
    for features in (None, made.directions[:3]):
        model = mh.LIAML(label_features=features, **short).fit(made.x[:50], made.table([0, 1, 2], 50))
        more = None if features is None else made.directions[3:4]
        wider = model.with_labels(made.x[:20], made.table([3], 20), label_features=more, steps=2)
        assert wider.result_.chances.shape == (80, 2)
        assert wider.result_.votes.total == 60  # of the new label; the others were not asked about
        twin = mh.load(wider.save(tmp_path / str(features is None)))
        np.testing.assert_array_equal(twin.predict_proba(made.x), wider.predict_proba(made.x))


@pytest.mark.slow
def test_quality_of_annotators_by_label() -> None:
    made = world()
    model = mh.LIAML(rounds=2, steps=60, fine_tuning=20, learning_rate=5e-3)
    model.fit(made.x[:200], made.table(list(range(4)), 200))
    quality = model.annotator_quality(made.x[:200])
    assert quality.shape == (800, 6)  # a row a (task, label) pair
    assert np.corrcoef(quality.mean(axis=0), np.linspace(0.7, 0.95, 6))[0, 1] > 0.7


def test_what_is_refused() -> None:
    made = world()
    model = mh.LIAML(rounds=1, steps=1, fine_tuning=0).fit(made.x[:20], made.table([0, 1], 20))
    with pytest.raises(ParameterError, match="there is none to add"):
        model.with_labels(made.x[:20], made.table([1], 20))
    with pytest.raises(ParameterError, match="were not described"):
        model.with_labels(made.x[:20], made.table([2], 20), label_features=[[1.0]])
    stranger = Annotations.from_dict({0: {"zoe": {"L2"}}})
    with pytest.raises(UnsupportedError, match="'zoe' was not fitted"):
        model.with_labels(made.x[:1], stranger)
    with pytest.raises(UnsupportedError, match="LIA-ML needs features"):
        mh.LIAML().fit(made.table([0], 20))
    with pytest.raises(ParameterError, match=r"label_features have shape \(1, 1\)"):
        mh.LIAML(label_features=[[1.0]]).fit(made.x[:20], made.table([0, 1], 20))
