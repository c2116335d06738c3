"""Spans as tables against loops over sentences."""

from __future__ import annotations

import numpy as np
import pytest

import manyhands as mh
from manyhands.annotations.scheme import spans_of
from manyhands.errors import UnsupportedError
from manyhands.metrics import span_scores


@pytest.fixture(scope="module")
def result() -> mh.Result:
    crowd = mh.simulate("tags", n_tasks=40, n_annotators=5, seed=1)
    return mh.MajorityVote().fit(crowd.labels).result_


def test_spans_are_those_of_the_consensus(result: mh.Result) -> None:
    rows = result.spans().to_dicts()
    consensus = result.consensus()
    expected = [
        (task, *span)
        for task, tags in zip(consensus["task"], consensus["label"], strict=True)
        for span in spans_of(tags)
    ]
    assert [(r["task"], r["start"], r["end"], r["type"]) for r in rows] == expected
    first = rows[0]
    a = int(result.labels.unit_offsets[result.task_code(first["task"])])
    tags = consensus["label"][result.task_code(first["task"])]
    chances = [
        result.chances[a + n, result.classes.codes([tags[n]])[0]] for n in range(first["start"], first["end"])
    ]
    assert first["confidence"] == pytest.approx(min(chances))


def test_annotators_by_their_spans(result: mh.Result) -> None:
    table = result.annotators()
    frame, consensus = result.labels.to_frame(), dict(result.consensus().select("task", "label").iter_rows())
    for name, p, r, f in table.select("annotator", "span_precision", "span_recall", "span_f1").iter_rows():
        mine = frame.filter(frame["annotator"] == name)
        scores = span_scores(mine["label"].to_list(), [consensus[task] for task in mine["task"]])
        assert (p, r, f) == pytest.approx(scores[:3])


def test_what_has_no_spans_is_told() -> None:
    labels = mh.Annotations.from_dict({"s": {"ann": ["NOUN", "VERB"]}}, kind="tags")
    found = mh.MajorityVote().fit(labels).result_
    with pytest.raises(UnsupportedError, match="no spans"):
        found.spans()
    assert "span_f1" not in found.annotators().columns


def test_nobody_found_anything() -> None:
    labels = mh.Annotations.from_dict({"s": {"ann": ["O", "O"]}}, kind="tags", classes=["O", "B-A", "I-A"])
    found = mh.MajorityVote().fit(labels).result_
    assert len(found.spans()) == 0
    assert np.isnan(found.annotators()["span_f1"].fill_null(np.nan)[0])
