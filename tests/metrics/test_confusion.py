from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from sklearn.metrics import confusion_matrix

from manyhands import Annotations
from manyhands.errors import ParameterError, UnsupportedError
from manyhands.metrics import annotator_accuracy, annotator_confusions, js_divergence, spammer_score


@pytest.fixture
def crowd():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=40)
    table = np.where(rng.random((40, 5)) < 0.6, truth[:, None], rng.integers(3, size=(40, 5)))
    table[rng.random((40, 5)) < 0.4] = -1
    table[:, 4] = -1
    truth[:6] = -1
    return table, truth


def test_confusions_and_accuracy_equal_scikit_learn(crowd):
    table, truth = crowd
    labels = Annotations.from_matrix(table, classes=range(3))
    counts, share = annotator_confusions(labels, truth), annotator_accuracy(labels, truth)
    for j in range(4):
        known = (table[:, j] >= 0) & (truth >= 0)
        assert (counts[j] == confusion_matrix(truth[known], table[known, j], labels=range(3))).all()
        assert share[j] == pytest.approx(np.mean(table[known, j] == truth[known]))
    assert not counts[4].any()
    assert np.isnan(share[4])


def test_the_truth_of_the_table_is_the_default(crowd):
    table, truth = crowd
    labels = Annotations.from_matrix(table, classes=range(3))
    told = labels.with_truth([None if k < 0 else int(k) for k in truth])
    assert (annotator_confusions(told) == annotator_confusions(labels, truth)).all()
    with pytest.raises(ParameterError, match="there is no truth"):
        annotator_accuracy(labels)


def test_tags_and_sets_are_judged_unit_by_unit():
    tags = Annotations.from_dict({0: {0: ["B", "O"]}, 1: {0: ["O"]}}, kind="tags", classes=["B", "O"])
    assert annotator_confusions(tags, [0, 0, 1]).tolist() == [[[1, 1], [0, 1]]]
    sets = Annotations.from_dict({0: {0: {"a"}}, 1: {0: set()}}, kind="set", classes=["a", "b"])
    assert annotator_accuracy(sets, [1, 0, 1, -1]).tolist() == [pytest.approx(2 / 3)]


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ([0], "shape \\(1,\\): give one code for each of 2"),
        ([0, 7], "truth 7 of unit 1"),
        (["x", "y"], "dtype <U1"),
    ],
)
def test_a_bad_truth_is_named(truth, said):
    with pytest.raises(ParameterError, match=said):
        annotator_confusions(Annotations.from_matrix([[0, 1], [1, 1]]), truth)


def test_numbers_have_no_confusions():
    with pytest.raises(UnsupportedError, match="kind='number'"):
        annotator_accuracy(Annotations.from_matrix([[0.5, 1.0]], kind="number"), [0])


def test_js_equals_scipy():
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(4), size=(2, 6, 3))
    theirs = np.mean(
        [jensenshannon(a, b, base=2) ** 2 for a, b in zip(p.reshape(-1, 4), q.reshape(-1, 4), strict=True)]
    )
    assert js_divergence(p, q) == pytest.approx(theirs)
    assert js_divergence(100 * p, q) == pytest.approx(theirs)  # counts
    assert js_divergence(p, q) == js_divergence(q, p)


def test_js_skips_rows_never_met():
    p, q = np.array([[0.2, 0.8], [1.0, 0.0]]), np.array([[0.6, 0.4], [0.0, 1.0]])
    alone = js_divergence(p[:1], q[:1])
    assert js_divergence(p, q, mask=[True, False]) == alone
    p[1] = 0
    assert js_divergence(p, q) == alone
    assert np.isnan(js_divergence(p, q, mask=[False, True]))


def test_js_is_clipped_as_the_paper_has_it():
    a, b = np.array([1.0, 1e-7]), np.array([1e-7, 1.0])
    m = (a + b) / 2
    by_hand = 0.5 * np.sum(a * np.log2(a / m)) + 0.5 * np.sum(b * np.log2(b / m))
    assert js_divergence([[1.0, 0.0]], [[0.0, 1.0]]) == pytest.approx(by_hand, rel=1e-12)
    assert by_hand < 1


def test_js_shapes_must_agree():
    with pytest.raises(ParameterError, match="rows of the same shape"):
        js_divergence(np.ones((2, 2)), np.ones((2, 3)))
    with pytest.raises(ParameterError, match="mask has shape"):
        js_divergence(np.ones((2, 2)), np.ones((2, 2)), mask=[True])


def test_spammer_score_of_two_classes_is_youdens_index_squared():
    """Raykar and Yu, for binary labels: (sensitivity + specificity - 1)^2."""
    sensitivity, specificity = np.random.default_rng(2).random((2, 20))
    rows = np.stack(
        [np.stack([specificity, 1 - specificity], -1), np.stack([1 - sensitivity, sensitivity], -1)], 1
    )
    np.testing.assert_allclose(spammer_score(rows), (sensitivity + specificity - 1) ** 2, atol=1e-12)


def test_spammer_score_equals_a_loop_over_pairs_of_truths():
    rows = np.random.default_rng(3).dirichlet(np.ones(5), size=(7, 4))
    slow = [np.mean([np.sum((a - b) ** 2) / 2 for a, b in combinations(matrix, 2)]) for matrix in rows]
    np.testing.assert_allclose(spammer_score(rows), slow)
    np.testing.assert_allclose(spammer_score(rows * np.arange(1, 5)[:, None]), slow)  # counts


def test_spammer_score_leaves_out_rows_never_met():
    full = np.array([[8, 2, 0], [1, 9, 0], [0, 0, 0]])
    assert spammer_score([full])[0] == pytest.approx(0.49)
    assert np.isnan(spammer_score([[[3, 1], [0, 0]]])[0])
    with pytest.raises(ParameterError, match="give \\[annotators, truths, labels\\]"):
        spammer_score(full)
