"""Competence task by task: the gain under a network's channel, against its matrices written out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import manyhands as mh
from manyhands.assignment.opening import open_up

from .tiny import expected_gain


@pytest.fixture(scope="module")
def crowd():
    return mh.simulate("groups", n_tasks=40, n_annotators=4, n_classes=3, n_features=3, redundancy=2, seed=0)


@pytest.fixture(scope="module")
def lia(crowd):
    return mh.LIA(rounds=2, steps=40, fine_tuning=0).fit(crowd.features, crowd.labels)


def normal(q):
    return q.astype(float) / q.astype(float).sum()


@pytest.mark.slow
def test_lia_is_asked_by_the_competence_of_the_task(crowd, lia):
    made = mh.assign(lia, 12, exact=True)
    with torch.no_grad():
        matrices = lia.channel_.matrices_at(torch.from_numpy(crowd.features.astype(np.float32))).numpy()
    best = []
    for task, who, gain in zip(made.task, made.annotator, made.gain, strict=True):
        q = normal(lia.result_.chances[task])
        assert gain == pytest.approx(expected_gain(q, [matrices[task, who].astype(float)]), abs=1e-5)
        best.append(gain)
    assert best == sorted(best, reverse=True)
    apart = np.abs(matrices - matrices.mean(axis=0)).max()
    assert apart > 1e-3  # the tasks do differ


def test_conal_mixes_common_and_own_noise_by_task(crowd):
    model = mh.CoNAL(epochs=3).fit(crowd.features, crowd.labels)
    made = mh.assign(model, 6)
    channel = model.channel_
    batch = mh.channels.batch.Batch(
        torch.arange(40).repeat_interleave(4), torch.arange(4).repeat(40), torch.zeros(160, dtype=torch.long), None,
        torch.arange(40), torch.from_numpy(crowd.features.astype(np.float32)),
    )  # fmt: skip
    share = channel.shares(batch).numpy().reshape(40, 4)
    common, own = channel.common_confusions()[0].numpy(), channel.individual_confusions().numpy()
    for task, who, gain in zip(made.task, made.annotator, made.gain, strict=True):
        matrix = share[task, who] * common + (1 - share[task, who]) * own[who]
        q = normal(model.result_.chances[task])
        assert gain == pytest.approx(expected_gain(q, [matrix.astype(float)]), abs=1e-5)


def test_new_tasks_are_what_the_network_says(crowd, lia):
    x = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    names = ["new", crowd.labels.tasks[0], "newer", crowd.labels.tasks[1], "newest"]
    x[[1, 3]] = crowd.features[:2]
    beliefs = open_up(lia, x, tasks=names).beliefs
    said = lia.predict_proba(x)
    assert beliefs.chances[[0, 2, 4]] == pytest.approx(said[[0, 2, 4]], abs=1e-6)
    assert beliefs.chances[[1, 3]] == pytest.approx(lia.result_.chances[:2], abs=1e-6)
    made = mh.assign(lia, 5, X=x, tasks=names, annotators=["stranger", "a1"]).frame()
    assert set(made["task"]) <= set(names)


def test_an_opened_model_has_its_mean_matrices_without_features(crowd, lia, tmp_path):
    lia.save(tmp_path / "m")
    opened = mh.load(tmp_path / "m")
    mean = mh.assign(lia.result_, 6).frame()
    assert mh.assign(opened, 6).frame().equals(mean)
    by_task = mh.assign(lia, 6).frame()
    assert mh.assign(opened, 6, X=crowd.features).frame()["gain"].to_numpy() == pytest.approx(
        by_task["gain"].to_numpy(), abs=1e-5
    )


@pytest.mark.parametrize("model", [mh.CrowdLayer(epochs=2), mh.SpeeLFC(epochs=2)], ids=lambda m: m.name)
def test_channels_without_a_task_or_a_truth_have_tables(crowd, model):
    made = mh.assign(model.fit(crowd.features, crowd.labels), 5)
    assert len(made) == 5
    assert (made.gain > 0).all()


def test_tasks_by_themselves_have_competences_too(crowd):
    model = mh.LIA(rounds=1, steps=20, fine_tuning=0).fit(crowd.labels)
    made = mh.assign(model, 3)
    with torch.no_grad():
        tasks = torch.arange(40, dtype=torch.float32)[:, None]
        matrices = model.channel_.matrices_at(tasks).numpy()
    q = normal(model.result_.chances[made.task[0]])
    expected = expected_gain(q, [matrices[made.task[0], made.annotator[0]].astype(float)])
    assert made.gain[0] == pytest.approx(expected, abs=1e-5)
