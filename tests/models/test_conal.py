from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import expit
from sklearn.base import clone

import manyhands as mh
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import js_divergence

QUICK: dict[str, Any] = {"network": "linear", "batch_size": 256}


def _crowd(seed: int = 0, n_tasks: int = 500, n_annotators: int = 8, **options: Any) -> Any:
    """`individual` is what the off-diagonal holds: the paper's annotators of high quality have .3."""
    options = {"strength": 0.7, "individual": 0.3, "share": 0.5, "n_classes": 6, "redundancy": 3} | options
    return mh.simulate("common", n_tasks=n_tasks, n_annotators=n_annotators, seed=seed, **options)


def test_settings_are_the_papers() -> None:
    model = mh.CoNAL()
    assert (model.mix, model.length, model.apart, model.temperature) == ("probability", 20, 1e-5, 1.0)
    assert (model.epochs, model.batch_size, model.learning_rate) == (100, 1024, 1e-2)
    assert (model.optimizer, model.objective, model.weight_decay) == ("adam", "marginal", 0)
    assert clone(mh.CoNAL(n_groups=2)).get_params()["n_groups"] == 2


@pytest.mark.parametrize("options", [{}, {"mix": "logit"}, {"n_groups": 2}, {"full_sum": True}])
@pytest.mark.slow
def test_every_form_learns(options: dict[str, Any]) -> None:
    crowd = _crowd()
    model = mh.CoNAL(**QUICK, epochs=15, **options).fit(crowd.features, crowd.labels)
    assert model.history_[-1]["loss"] < model.history_[0]["loss"]
    confusions = model.channel_.confusions()
    torch.testing.assert_close(confusions.sum(dim=2), torch.ones(8, 6))
    assert model.result_.posterior.chances.shape == (500, 6)
    repeated = mh.CoNAL(**QUICK, epochs=15, **options).fit(crowd.features, crowd.labels)
    np.testing.assert_array_equal(model.predict_proba(crowd.features), repeated.predict_proba(crowd.features))


def test_shares_of_common_noise_by_task() -> None:
    crowd = _crowd()
    model = mh.CoNAL(**QUICK, epochs=3, temperature=0.5).fit(crowd.features, crowd.labels)
    gate = model.channel_.gate
    raw = {name: p.detach().double().numpy() for name, p in gate.named_parameters()}
    x = (crowd.features - gate.mean.numpy()) * gate.scale.numpy()
    v, u = x @ raw["of_task.weight"].T + raw["of_task.bias"], raw["table.weight"]
    w = expit((v / np.linalg.norm(v, axis=1)[:, None]) @ (u / np.linalg.norm(u, axis=1)[:, None]).T / 0.5)
    rows = crowd.labels.rows
    expected = np.bincount(rows.unit, w[rows.unit, rows.annotator], 500) / np.bincount(
        rows.unit, minlength=500
    )
    np.testing.assert_allclose(model.task_shares(crowd.features, crowd.labels), expected, rtol=1e-4)


def test_tasks_without_labels_have_no_share() -> None:
    x = np.random.default_rng(0).normal(size=(5, 2))
    labels = mh.Annotations.from_arrays([0, 1, 1, 4], [0, 0, 1, 1], [0, 1, 1, 0], tasks=range(5))
    shares = mh.CoNAL(epochs=2).fit(x, labels).task_shares(x, labels)
    assert np.isnan(shares).tolist() == [False, False, True, True, False]


def test_annotators_by_name_and_strangers_refused() -> None:
    crowd = _crowd()
    model = mh.CoNAL(**QUICK, epochs=2).fit(crowd.features, crowd.labels)
    rows = crowd.labels.rows
    some = rows.annotator == 5
    names = [crowd.labels.annotators[5]] * int(some.sum())
    classes = crowd.labels.classes.to_list()
    alone = mh.Annotations.from_arrays(
        rows.unit[some], names, rows.label[some], tasks=range(500), classes=classes
    )
    shares = model.task_shares(crowd.features, alone)
    full = model.channel_.mean_shares()[5]
    assert abs(np.nanmean(shares) - float(full.mean())) < 0.05
    strange = mh.Annotations.from_arrays([0], ["nobody"], [0], tasks=range(1), classes=classes)
    with pytest.raises(UnsupportedError, match="'nobody' was not fitted"):
        model.task_shares(crowd.features[:1], strange)


def test_annotators_with_features() -> None:
    crowd = _crowd()
    described = np.random.default_rng(0).normal(size=(8, 3))
    labels = crowd.labels.with_annotator_features(described)
    model = mh.CoNAL(**QUICK, epochs=3).fit(crowd.features, labels)
    new = model.channel_.matrices_for(torch.from_numpy(described[:2]).float())
    torch.testing.assert_close(new.sum(dim=2), torch.ones(2, 6))
    assert model.channel_.gate.table is None


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    crowd = _crowd()
    for options in ({}, {"mix": "logit"}):
        model = mh.CoNAL(**QUICK, epochs=2, **options).fit(crowd.features, crowd.labels)
        twin = mh.load(model.save(tmp_path / "model"))
        np.testing.assert_array_equal(
            twin.task_shares(crowd.features, crowd.labels), model.task_shares(crowd.features, crowd.labels)
        )
        torch.testing.assert_close(twin.channel_.confusions(), model.channel_.confusions())


def test_bad_choices() -> None:
    crowd = _crowd(n_tasks=50)
    with pytest.raises(ParameterError, match="mix='both' must be one of"):
        mh.CoNAL(mix="both").fit(crowd.features, crowd.labels)


def test_tasks_without_a_row_of_features_have_a_gate_an_annotator() -> None:
    crowd = _crowd(n_tasks=50)
    pictures = np.zeros((50, 3, 8, 8), dtype=np.float32)
    model = mh.CoNAL(network="cnn", epochs=2).fit(pictures, crowd.labels)
    shares = model.channel_.mean_shares()
    assert float(shares.std(dim=0).min()) > 0.0
    torch.testing.assert_close(shares, shares[:, :1].expand_as(shares))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_common_matrix_is_recovered(seed: int) -> None:
    """Common strength .7, share .5; about 330 common labels a cell, 10 of an annotator's own."""
    crowd = _crowd(seed, n_tasks=8000, n_annotators=30)
    model = mh.CoNAL(**QUICK, epochs=60).fit(crowd.features, crowd.labels)
    common = model.channel_.common_confusions()[0].numpy()
    assert js_divergence(crowd.parameters["common"], common) < 0.02
    assert (common.argmax(axis=1) == crowd.parameters["common"].argmax(axis=1)).all()
    assert js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.02
    majority = mh.MajorityVote().fit(crowd.labels).predict()
    assert model.score(crowd.features, crowd.truth) > (majority == crowd.truth).mean() + 0.2


@pytest.mark.slow
def test_annotators_matrices_are_recovered() -> None:
    """200 labels a cell. What each does in all is known; how much of it is common, the gate says but roughly."""
    crowd = _crowd(0, n_tasks=72_000, n_annotators=15)
    model = mh.CoNAL(**QUICK, epochs=12).fit(crowd.features, crowd.labels)
    assert js_divergence(crowd.confusions, model.channel_.confusions().numpy()) < 0.005
    assert js_divergence(crowd.parameters["common"], model.channel_.common_confusions()[0].numpy()) < 0.02
    own = model.channel_.individual_confusions().numpy()
    assert js_divergence(crowd.parameters["individual"], own) < 0.06
    assert (own.argmax(axis=2) == np.arange(6)).all()
