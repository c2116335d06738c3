"""Spans in other schemes: what is there stays there, by what seqeval reads of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOBES, Entities

from manyhands import Annotations
from manyhands.annotations.respelling import n_spans, respelled
from manyhands.annotations.scheme import convert, spans_of
from manyhands.errors import ParameterError, UnsupportedError

BIO = st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), min_size=1, max_size=9)


def by_seqeval(tags):
    return [(start, end + 1, kind) for kind, start, end in get_entities(tags)]


@given(BIO)
def test_a_sentence_in_another_scheme_has_the_spans_that_seqeval_reads(tags):
    spans = by_seqeval(tags)
    assert spans_of(tags) == spans
    assert by_seqeval(convert(tags, "BIO")) == spans
    for name, strict in (("BIOES", IOBES), ("BILOU", BILOU)):
        found = Entities([convert(tags, name)], strict).entities[0]
        assert [(e.start, e.end, e.tag) for e in found] == spans
        assert convert(convert(tags, name), "BIO") == convert(tags, "BIO")


@given(st.lists(st.tuples(BIO, BIO), min_size=1, max_size=4))
def test_a_table_is_respelled_as_its_sentences_are(pairs):
    answers = {f"t{n}": {"ann": ann, "bob": (bob * 9)[: len(ann)]} for n, (ann, bob) in enumerate(pairs)}
    truth = {"t0": answers["t0"]["bob"]}
    labels = Annotations.from_dict(answers, kind="tags", truth=truth)
    if labels.classes.to_list() == ["O"]:
        return
    for name in ("BIO", "BIOES", "BILOU", "IO"):
        other = respelled(labels, name)
        wanted = [convert(row, name) for row in labels.to_frame()["label"].to_list()]
        assert other.to_frame()["label"].to_list() == wanted
        assert other.truths() == [None if row is None else convert(row, name) for row in labels.truths()]
        assert n_spans(other) == sum(len(spans_of(row)) for row in wanted)


def test_a_token_without_a_tag_ends_a_span_and_stays_without():
    labels = Annotations.from_dict({"t": {"ann": ["B-X", None, "I-X"], "bob": [None, "O", "B-X"]}})
    assert respelled(labels, "BIOES").to_frame()["label"].to_list() == [
        ["S-X", None, "S-X"],
        [None, "O", "S-X"],
    ]


def test_what_is_no_span_is_refused():
    with pytest.raises(ParameterError, match="scheme='IOB9' must be one of 'BIO', 'BIOES', 'BILOU', 'IO'"):
        convert(["O", "B-X"], "IOB9")
    with pytest.raises(UnsupportedError, match="no spans"):
        respelled(Annotations.from_dict({"t": {"ann": ["NOUN"]}}), "BIO")
    with pytest.raises(UnsupportedError, match="no spans"):
        respelled(Annotations.from_dict({"t": {"ann": "x"}}), "BIO")
