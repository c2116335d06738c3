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


def test_annotators_by_their_spans_as_seqeval_counts(result: mh.Result) -> None:
    from seqeval.metrics import f1_score, precision_score, recall_score

    frame, consensus = result.labels.to_frame(), dict(result.consensus().select("task", "label").iter_rows())
    for row in result.annotators().to_dicts():
        mine = frame.filter(frame["annotator"] == row["annotator"])
        truth, said = [consensus[task] for task in mine["task"]], mine["label"].to_list()
        for name, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
            assert row[f"span_{name}"] == pytest.approx(score(truth, said))


def test_sequences_are_decoded_once(result: mh.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from manyhands.results import decoding

    fresh, calls, real = replace(result), [], decoding.legal_tags
    monkeypatch.setattr(decoding, "legal_tags", lambda *given: calls.append(1) or real(*given))
    for table in (fresh.consensus, fresh.spans, fresh.annotators, fresh.tasks, fresh.disputed_spans):
        table()
    assert len(calls) == 1


def by_hand(labels: mh.Annotations) -> dict[tuple, tuple[set, set]]:
    """Who gave each span and who did not, by loops."""
    said: dict = {}
    for task, who, tags in labels.to_frame().select("task", "annotator", "label").iter_rows():
        said.setdefault(task, {})[who] = tags
    found = {}
    for task, rows in said.items():
        marked = {who: set(spans_of(["O" if t is None else t for t in tags])) for who, tags in rows.items()}
        for span in set().union(*marked.values()):
            gave = {who for who, spans in marked.items() if span in spans}
            read = {who for who, tags in rows.items() if None not in tags[span[0] : span[1]]}
            if read - gave:
                found[task, *span] = gave, read - gave
    return found


def test_disputed_spans_by_hand(result: mh.Result) -> None:
    rng = np.random.default_rng(0)
    gaps = {}
    for task, who, tags in result.labels.to_frame().select("task", "annotator", "label").iter_rows():
        kept = [None if rng.random() < 0.1 else tag for tag in tags]
        gaps.setdefault(task, {})[who] = kept
    holes = mh.MajorityVote().fit(mh.Annotations.from_dict(gaps, kind="tags")).result_
    for one in (result, holes):
        rows = one.disputed_spans().to_dicts()
        keys = [(r["task"], r["start"], r["end"], r["type"]) for r in rows]
        wanted = by_hand(one.labels)
        assert len(keys) == len(set(keys)) > 20
        assert {k: (set(r["gave"]), set(r["others"])) for k, r in zip(keys, rows, strict=True)} == wanted
        assert all(
            r["n_gave"] == len(r["gave"]) and r["n_read"] - r["n_gave"] == len(r["others"]) for r in rows
        )
        believed = set(one.spans().select("task", "start", "end", "type").rows())
        assert all(r["believed"] == (key in believed) for key, r in zip(keys, rows, strict=True))
        heat = [(-r["n_gave"] * len(r["others"]), round(abs(r["chance"] - 0.5), 5)) for r in rows]
        assert heat == sorted(heat)


@pytest.mark.parametrize("name", ["BIO", "BIOES", "IO"])
def test_the_chance_of_a_certain_span_is_one_and_of_all_others_nought(name: str, result: mh.Result) -> None:
    from manyhands.annotations.respelling import respelled
    from manyhands.annotations.scheme import Scheme, Spans
    from manyhands.results.disputed_spans import span_chances

    labels = respelled(result.labels, name)
    scheme = Scheme.of(labels.classes)
    length, kinds = 5, len(scheme.types)
    every = [(a, b, t) for a in range(length) for b in range(a + 1, length + 1) for t in range(kinds)]
    found = Spans(*(np.array(part) for part in zip(*every, strict=True)))
    for tags in labels.to_frame()["label"].to_list()[:40]:
        if len(tags) < length:
            continue
        codes = labels.classes.codes(tags[:length])
        sure = np.eye(len(labels.classes))[codes]
        there = {
            (int(a), int(b), int(t)) for a, b, t in zip(*scheme.spans(codes, np.array([0])), strict=True)
        }
        legal = (
            scheme.allowed[codes[:-1], codes[1:]].all()
            and scheme.may_start[codes[0]]
            and scheme.may_end[codes[-1]]
        )
        if legal:  # what the chances of tags mean is told of tags that may be
            said = span_chances(scheme, sure, found, np.array([0, length]))
            assert [span in there for span in every] == (said == 1).tolist()
            assert set(said.tolist()) <= {0.0, 1.0}


def test_no_span_and_no_dispute() -> None:
    labels = mh.Annotations.from_dict({"s": {"ann": ["O", "O"]}}, kind="tags", classes=["O", "B-A", "I-A"])
    found = mh.MajorityVote().fit(labels).result_.disputed_spans()
    assert len(found) == 0
    assert found.columns[-2:] == ["gave", "others"]
