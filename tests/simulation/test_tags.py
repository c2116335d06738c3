"""Tagged sentences: legal truths, annotators who keep spans and who break them."""

import itertools

import numpy as np
import pytest

from manyhands.simulation import simulate


def is_legal(tags):
    """I- follows B- or I- of its own type, by a slow reading of the words."""
    before = "O"
    for tag in tags:
        if tag.startswith("I-") and before not in (f"B-{tag[2:]}", tag):
            return False
        before = tag
    return True


@pytest.fixture(scope="module")
def made():
    return simulate("tags", n_tasks=3000, n_annotators=8, n_classes=3, redundancy=3)


@pytest.mark.parametrize("n_classes", [1, 2, 6])
def test_the_truth_is_legal(n_classes):
    crowd = simulate("tags", n_tasks=500, n_classes=n_classes, begin=0.4)
    truths = crowd.truth_frame()["label"].to_list()
    assert all(is_legal(tags) for tags in truths)
    assert any(a.startswith("B-") and b.startswith("B-") for t in truths for a, b in itertools.pairwise(t))
    assert crowd.labels.n_classes == 2 * n_classes + 1
    assert crowd.labels.classes.to_list()[:3] == ["O", "B-PER", "I-PER"]


def test_sentences_are_ragged(made):
    lengths = np.diff(made.labels.unit_offsets)
    assert set(lengths) == set(range(5, 26))
    assert all(len(row[2]) == lengths[int(row[0][1:])] for row in made.frame().head(300).rows())


def test_keepers_are_legal_and_breakers_are_not(made):
    keeps = made.parameters["keeps_spans"]
    assert keeps.any()
    assert not keeps.all()
    legal = np.zeros((8, 2))
    for _, annotator, tags in made.frame().rows():
        legal[int(annotator[1:]), int(is_legal(tags))] += 1
    assert (legal[keeps, 0] == 0).all()
    assert (legal[~keeps, 0] > 20).all()


def test_the_chain(made):
    """Start and steps as often as the transition matrix says, by a plain loop."""
    transition, start = made.parameters["transition"], made.parameters["start"]
    steps, first = np.zeros_like(transition), np.zeros_like(start)
    offsets = made.labels.unit_offsets
    for a, b in itertools.pairwise(offsets):
        tags = made.truth[a:b]
        first[tags[0]] += 1
        for before, now in itertools.pairwise(tags):
            steps[before, now] += 1
    for counts, chances in ((first[None], start[None]), (steps, transition)):
        total = counts.sum(1, keepdims=True)
        assert (np.abs(counts - total * chances) <= 5 * np.sqrt(total * chances * (1 - chances)) + 1e-9).all()
    count = np.bincount(made.truth, minlength=7)
    np.testing.assert_allclose(made.parameters["tag_shares"], count / count.sum(), atol=0.01)


def test_tokens_follow_the_confusions(made):
    rows = made.labels.rows
    counts = np.zeros((8, 7, 7))
    np.add.at(counts, (rows.annotator, made.truth[rows.unit], rows.label), 1)
    total = counts.sum(-1, keepdims=True)
    sigma = np.sqrt(total * made.confusions * (1 - made.confusions))
    # Tokens of a kept span go together, so their counts spread a little wider.
    assert (np.abs(counts - total * made.confusions) < 8 * sigma + 3).all()
    assert (counts[made.confusions == 0] == 0).all()
    right = np.bincount(rows.annotator, rows.label == made.truth[rows.unit]) / np.bincount(rows.annotator)
    np.testing.assert_allclose(made.accuracy, right, atol=0.02)


def test_kept_spans_are_read_whole():
    made = simulate("tags", n_tasks=400, n_annotators=3, redundancy=3, keep=1.0, go_on=0.7)
    offsets, starts = made.labels.unit_offsets, made.labels.answers.starts
    spans = 0
    for n, task in enumerate(made.labels.task):
        truth = made.truth[offsets[task] : offsets[task + 1]]
        said = made.labels.answers.values[starts[n] : starts[n + 1]]
        for place in np.flatnonzero((truth > 0) & (truth % 2 == 0)):
            spans += 1
            assert (said[place] > 0) == (said[place - 1] > 0)
            assert said[place] == 0 or (said[place] - 1) // 2 == (said[place - 1] - 1) // 2
    assert spans > 1000
