"""CoNAL's recipe, as its paper states it."""

import numpy as np
import pytest

from manyhands.simulation import simulate

PAPER = {"n_tasks": 10_000, "n_annotators": 30, "n_classes": 6, "redundancy": 3}


@pytest.mark.parametrize("share", [0.3, 0.4, 0.5, 0.6, 0.7])
def test_the_realised_share(share):
    made = simulate("common", share=share, **PAPER)
    gate, common = made.parameters["gate"], made.parameters["from_common"]
    assert gate.mean() == pytest.approx(share, abs=0.02)
    assert common.mean() == pytest.approx(gate.mean(), abs=5 * np.sqrt(0.25 / 30_000))
    assert 1 / (1 + np.e) - 1e-6 <= gate.min() <= gate.max() <= 1 / (1 + 1 / np.e) + 1e-6
    by_annotator = np.bincount(made.labels.annotator, gate) / np.bincount(made.labels.annotator)
    np.testing.assert_allclose(made.parameters["share"], by_annotator, atol=0.015)


def test_share_nothing():
    made = simulate("common", share=0, **PAPER)
    assert not made.parameters["from_common"].any()
    np.testing.assert_allclose(made.confusions, made.parameters["individual"])


def test_the_gate_is_equation_3():
    made = simulate("common", n_tasks=40, n_annotators=5, redundancy=2, n_classes=4, embedding=7)
    known, labels = made.parameters, made.labels
    for n in range(labels.n_answers):
        u = known["gate_annotators"][labels.annotator[n]]
        v = made.features[labels.task[n]].astype(float) @ known["gate_weights"] + known["gate_bias"]
        w = 1 / (1 + np.exp(-(u @ v) / np.linalg.norm(v)))
        assert np.linalg.norm(u) == pytest.approx(1)
        assert known["gate"][n] == pytest.approx(w, abs=1e-5)


@pytest.mark.parametrize("pattern", ["asymmetric", "symmetric"])
def test_the_matrices(pattern):
    made = simulate("common", strength=0.6, pattern=pattern, **PAPER)
    common, own = made.parameters["common"], made.parameters["individual"]
    np.testing.assert_allclose(np.diag(common), 0.4)
    np.testing.assert_allclose(np.sort(common, axis=1)[:, :-2], 0)
    np.testing.assert_allclose(own[:, range(6), range(6)], 0.3)
    np.testing.assert_allclose(np.sort(own, axis=2)[:, :, -1], 0.7)
    assert len(np.unique(own, axis=0)) == 30
    if pattern == "symmetric":
        np.testing.assert_array_equal(common, common.T)


def test_labels_come_from_the_matrix_that_the_switch_says():
    made = simulate("common", strength=0.4, **PAPER)
    labels, known = made.labels, made.parameters
    truth, said = made.truth[labels.task], labels.answers.values
    target = known["common"].copy()
    np.fill_diagonal(target, 0)
    common = known["from_common"]
    wrong = common & (said != truth)
    np.testing.assert_array_equal(said[wrong], target.argmax(1)[truth[wrong]])
    assert wrong.sum() / common.sum() == pytest.approx(0.4, abs=5 * np.sqrt(0.24 / common.sum()))
    alone = ~common
    assert (said[alone] != truth[alone]).mean() == pytest.approx(0.7, abs=5 * np.sqrt(0.21 / alone.sum()))
    chance = known["individual"][labels.annotator, truth, said]
    assert (chance[alone] > 0).all()


@pytest.mark.slow
def test_a_wrong_class_is_any_other_alike():
    own = simulate("common", n_tasks=1, n_annotators=6000, n_classes=4, redundancy=1).parameters["individual"]
    errs_to = np.bincount(own[:, 1].argsort(axis=1)[:, -1], minlength=4)  # strength .7 is the row's most
    assert errs_to[1] == 0
    assert np.abs(errs_to[[0, 2, 3]] - 2000).max() < 5 * np.sqrt(2000 * 2 / 3)


def test_features_carry_the_truth():
    made = simulate("common", **PAPER)
    means = made.parameters["feature_means"]
    nearest = ((made.features[:, None] - means) ** 2).sum(-1).argmin(1)
    assert (nearest == made.truth).mean() > 0.85
