"""Scores of spans against seqeval and a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.annotations.scheme import convert, spans_of
from manyhands.errors import ParameterError
from manyhands.metrics import span_scores

TAGS = ["O", "B-A", "I-A", "B-B", "I-B"]
SENTENCES = st.lists(st.integers(0, 7), min_size=1, max_size=6)


def _sentences(lengths: list[int], seed: int, tags: list[str]) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[tags[n] for n in rng.integers(0, len(tags), length)] for length in lengths]


@settings(max_examples=150, deadline=None)
@given(
    SENTENCES,
    st.integers(0, 10**6),
    st.sampled_from([TAGS, [*TAGS, "E-A", "S-A", "S-B"], ["O", "I-A", "I-B"]]),
)
def test_seqeval_says_the_same(lengths: list[int], seed: int, tags: list[str]) -> None:
    seqeval = pytest.importorskip("seqeval.metrics")
    predicted, truth = _sentences(lengths, seed, tags), _sentences(lengths, seed + 1, tags)
    ours = span_scores(predicted, truth)
    scores = (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)
    theirs = tuple(score(truth, predicted, zero_division=0) for score in scores)
    assert (ours.precision, ours.recall, ours.f1) == pytest.approx(theirs)
    if sum(lengths):
        assert ours.accuracy == pytest.approx(seqeval.accuracy_score(truth, predicted))


def test_by_hand() -> None:
    found = span_scores([["B-A", "I-A", "O", "B-B"]], [["B-A", "I-A", "I-A", "B-B"]])
    assert found[:3] == (0.5, 0.5, 0.5)
    assert (found.n_predicted, found.n_true) == (2, 2)
    assert span_scores([["O"]], [["O"]])[:4] == (0.0, 0.0, 0.0, 1.0)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 8), st.integers(0, 10**6), st.sampled_from(["BIO", "BIOES"]))
def test_schemes_keep_the_spans(length: int, seed: int, scheme: str) -> None:
    (tags,) = _sentences([length], seed, TAGS)
    there = convert(tags, scheme)
    assert spans_of(there) == spans_of(tags)
    assert convert(convert(there, "BIO"), scheme) == there


def test_io_joins_neighbours_of_one_type_and_nothing_else() -> None:
    assert convert(["B-A", "I-A", "B-B", "O"], "IO") == ["I-A", "I-A", "I-B", "O"]
    assert spans_of(convert(["B-A", "B-A"], "IO")) == [(0, 2, "A")]


def test_bilou_is_bioes_by_other_letters() -> None:
    assert spans_of(["B-A", "L-A", "U-B"]) == spans_of(["B-A", "E-A", "S-B"]) == [(0, 2, "A"), (2, 3, "B")]


def test_what_cannot_be_scored_is_said() -> None:
    with pytest.raises(ParameterError, match="sentence 1: 2 tags predicted, 1 true"):
        span_scores([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(ParameterError, match="'NOUN'"):
        span_scores([["NOUN"]], [["O"]])
    with pytest.raises(ParameterError, match="1 sentences predicted, 2 true"):
        span_scores([["O"]], [["O"], []])
    with pytest.raises(ParameterError, match="scheme='BIOLU'"):
        convert(["O"], "BIOLU")
