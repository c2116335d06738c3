from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone

import manyhands as mh
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import js_divergence

QUICK: dict[str, Any] = {"network": "linear", "learning_rate": 1e-2}


def _crowd(seed: int = 0, n_tasks: int = 600, n_annotators: int = 15, **options: Any) -> Any:
    return mh.simulate(
        "groups", n_tasks=n_tasks, n_annotators=n_annotators, n_features=6, redundancy=5, seed=seed, **options
    )


def _overall(crowd: Any) -> np.ndarray:
    """The annotators' matrices, each as often as they answered."""
    answers = np.bincount(crowd.labels.rows.annotator, minlength=crowd.labels.n_annotators)
    return np.einsum("j,jkl->kl", answers / answers.sum(), crowd.confusions)


def _matched(crowd: Any, model: mh.CMM) -> tuple[float, np.ndarray]:
    """Divergence of the groups' matrices under the best naming of the groups, and that naming."""
    true, found = crowd.parameters["group_confusions"], model.channel_.group_confusions().numpy()
    return min(
        (js_divergence(true[list(names)], found), np.array(names))
        for names in itertools.permutations(range(3))
    )


def test_settings_are_the_papers() -> None:
    model = mh.CMM()
    assert (model.n_groups, model.objective, model.epochs, model.batch_size) == (3, "em-marginal", 50, 64)
    assert (model.optimizer, model.learning_rate, model.average, model.weight_decay) == ("adam", 1e-3, 0, 0)
    assert clone(mh.CMM(per="annotator", smoothing=1.0)).get_params()["smoothing"] == 1.0


def test_names_of_annotators_are_not_needed() -> None:
    """Every label from somebody else: the same network to the last bit."""
    crowd = _crowd()
    rows = crowd.labels.rows
    nameless = mh.Annotations.from_arrays(
        rows.unit,
        np.arange(len(rows.unit)),
        rows.label,
        tasks=range(600),
        classes=range(crowd.labels.n_classes),
    )
    known, unknown = (
        mh.CMM(epochs=3, use_truth=False).fit(crowd.features, t) for t in (crowd.labels, nameless)
    )
    np.testing.assert_array_equal(known.predict_proba(crowd.features), unknown.predict_proba(crowd.features))


@pytest.mark.parametrize("per", ["annotation", "annotator"])
def test_groups_of_annotators_new_or_fitted(per: str) -> None:
    crowd = _crowd()
    model = mh.CMM(**QUICK, per=per, epochs=5).fit(crowd.features, crowd.labels)
    again = model.annotator_groups(crowd.features, crowd.labels)
    beta, alpha = model.channel_.group_confusions().numpy(), model.channel_.group_shares().numpy()
    f = model.predict_proba(crowd.features)
    expected = np.tile(np.log(alpha), (15, 1)).astype(np.float64)
    for i, j, label in zip(*crowd.labels.rows[:3], strict=True):
        expected[j] += np.log(f[i] @ beta[:, :, label].T)
    np.testing.assert_allclose(again, softmax(expected, axis=1), atol=1e-4)
    if per == "annotation":
        np.testing.assert_allclose(model.annotator_groups(), again, atol=1e-5)
    np.testing.assert_allclose(
        model.annotator_confusions(), np.einsum("jm,mkl->jkl", model.annotator_groups(), beta), atol=1e-6
    )
    np.testing.assert_allclose(model.channel_.confusions(), model.annotator_confusions(), atol=1e-6)
    with pytest.raises(UnsupportedError, match="fitted on"):
        model.annotator_groups(crowd.features[:2], mh.Annotations.from_matrix([["a"], ["b"]]))


def test_saved_and_loaded_groups_are_the_same(tmp_path: Path) -> None:
    crowd = _crowd(n_tasks=200)
    model = mh.CMM(**QUICK, epochs=3).fit(crowd.features, crowd.labels)
    twin = mh.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(twin.annotator_groups(), model.annotator_groups())
    np.testing.assert_array_equal(twin.predict_proba(crowd.features), model.predict_proba(crowd.features))


def test_a_loss_that_falls_without_em() -> None:
    crowd = _crowd()
    model = mh.CMM(**QUICK, objective="marginal", gate="features", epochs=8).fit(crowd.features, crowd.labels)
    losses = [e["loss"] for e in model.history_]
    assert losses[-1] < losses[0]


def test_bad_choices() -> None:
    crowd = _crowd(n_tasks=50)
    with pytest.raises(ParameterError, match="they exclude each other"):
        mh.CMM(per="annotator", gate="features").fit(crowd.features, crowd.labels)


def test_one_annotator_and_one_class_heard() -> None:
    """ "Says 0 whatever the truth" explains it all, and leaves the truth open."""
    x = np.random.default_rng(0).normal(size=(20, 2))
    labels = mh.Annotations.from_arrays(range(20), [0] * 20, [0] * 20, classes=[0, 1])
    for per in ("annotation", "annotator"):
        model = mh.CMM(**QUICK, per=per, epochs=4).fit(x, labels)
        assert np.isfinite(model.predict_proba(x)).all()
        np.testing.assert_allclose(model.annotator_confusions()[0], [[1, 0], [1, 0]], atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("objective", ["em-marginal", "marginal"])
def test_the_crowds_matrix_is_recovered_but_not_the_groups(seed: int, objective: str) -> None:
    crowd = _crowd(seed, n_tasks=3000, n_annotators=30)
    model = mh.CMM(**QUICK, objective=objective).fit(crowd.features, crowd.labels)
    assert js_divergence(_overall(crowd), model.channel_.overall_confusion().numpy()) < 0.005
    assert _matched(crowd, model)[0] > 0.05  # SYSTEMS: the trap


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("objective", ["em-marginal", "em", "marginal", "joint"])
def test_one_group_an_annotator_recovers_the_groups(seed: int, objective: str) -> None:
    crowd = _crowd(seed, n_tasks=3000, n_annotators=30)
    model = mh.CMM(**QUICK, objective=objective, per="annotator", channel_learning_rate=0.02)
    model.fit(crowd.features, crowd.labels)
    divergence, names = _matched(crowd, model)
    assert divergence < 0.02
    assert (names[model.annotator_groups().argmax(axis=1)] == crowd.parameters["group"]).all()
    assert js_divergence(crowd.confusions, model.annotator_confusions()) < 0.02
    few = crowd.labels[:120]  # twenty labels each
    groups = model.annotator_groups(crowd.features[:120], few)
    right = (names[groups.argmax(axis=1)] == crowd.parameters["group"]).mean()
    assert right > groups.max(axis=1).mean() - 0.15  # as sure as it may be
