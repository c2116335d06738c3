"""Every tool: a golden file in its documented form, read, written, read again; what it says; how it fails."""

from __future__ import annotations

import csv
import gzip
import json
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from manyhands import Annotations
from manyhands.errors import (
    FormatError,
    LabelError,
    LabelWarning,
    ManyhandsError,
    ParameterError,
    UnsupportedError,
)
from manyhands.io import read, write
from manyhands.io.tools.opening import open_labels
from manyhands.io.tools.registry import TOOLS, tool
from manyhands.io.tools.writing import losses_in

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.name for path in GOLDEN.iterdir() if path.name.count(".") == 2)


def quiet(path: Path, **options: object) -> Annotations:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelWarning)
        return read(path, **options)


def without_seconds(labels: Annotations) -> Annotations:
    return replace(labels, columns={})


def rows(labels: Annotations) -> list[tuple]:
    return labels.to_frame().select("task", "annotator", "label").rows()


def test_every_tool_has_golden_files():
    assert {name.split(".")[0] for name in FILES} == set(TOOLS)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.slow
def test_a_golden_file_is_recognised_read_written_and_read_again(name, tmp_path):
    who, kind, suffix = name.split(".")
    table = open_labels(GOLDEN / name, contents=True)
    assert table.tool.name == who
    labels = quiet(GOLDEN / name)
    assert labels.kind == kind
    assert labels.equals(quiet(GOLDEN / name, format=who))
    back = tmp_path / f"back.{suffix}"
    write(labels, back, format=who, contents=table.contents)
    again = quiet(back)
    assert without_seconds(again).equals(without_seconds(labels))
    if "seconds" in tool(who).keeps:
        assert again.equals(labels)
    assert open_labels(back, contents=True).contents.keys() == table.contents.keys()


# What the golden files say, told by hand from the documents of their tools.
SAID = {
    "label-studio.class.json": [("101", "7", "Positive"), ("101", "8", "Negative"), ("101", "9", None),
                                ("102", "7", "Negative"), ("102", "9", "Negative")],
    "label-studio.set.json": [("1", "7", ["Cat", "Dog"]), ("1", "eve@example.com", ["Cat"]), ("2", "7", [])],
    "label-studio.ordinal.json": [("1", "7", 4), ("1", "8", 2), ("2", "8", 5)],
    "label-studio.number.json": [("1", "7", 31.0), ("1", "8", 28.5)],
    "label-studio-min.class.json": [("101", "7", "Positive"), ("101", "8", "Negative"), ("102", "7", "Negative")],
    "label-studio-predictions.class.json": [("101", "v1", "Positive"), ("101", "v2", "Negative")],
    "prodigy.class.jsonl": [("-1748816190", "news-ann", "POSITIVE"), ("-1748816190", "news-bob", "NEGATIVE"),
                            ("55", "news-ann", None), ("55", "news-bob", "POSITIVE")],
    "doccano.set.jsonl": [("1", "1", ["politics", "trade"]), ("1", "2", ["trade"])],
    "mturk.class.csv": [("3A", "W1", "Cat"), ("3A", "W2", "Dog"), ("3B", "W1", None), ("3B", "W2", "Cat")],
    "mturk.set.csv": [("3A", "W1", ["cat", "dog"]), ("3A", "W2", ["cat"])],
    "toloka.class.tsv": [("t1", "w1", "cat"), ("t1", "w2", "dog"), ("t1", "w4", None), ("t2", "w1", "dog")],
    "appen.class.csv": [("681448150", "30", "neutral"), ("681448150", "31", "positive"),
                        ("681448153", "30", "negative"), ("681448153", "31", None)],
    "zooniverse.class.csv": [("501", "mike", "Smooth"), ("501", "not-logged-in-2c61", "Disk"),
                             ("502", "mike", None), ("502", "jo", "Disk")],
    "sagemaker.class.json": [("0", "private.us-east-1.A", "cat"), ("0", "private.us-east-1.B", "dog"),
                             ("0", "private.us-east-1.C", None), ("1", "private.us-east-1.A", "dog")],
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_who_said_what(name):
    assert rows(quiet(GOLDEN / name)) == SAID[name]


def test_spans_are_tags_of_words_and_signs():
    # Barack Obama met Merkel in Berlin .
    labels = quiet(GOLDEN / "label-studio.tags.json")
    assert rows(labels) == [
        ("1", "7", ["B-PER", "I-PER", "O", "B-PER", "O", "B-LOC", "O"]),
        ("1", "8", ["O", "B-PER", "O", "O", "O", "B-LOC", "O"]),
        ("1", "9", ["O"] * 7),  # handed in with nothing marked
        ("1", "10", [None] * 7),  # skipped
    ]


@pytest.mark.parametrize(
    ("name", "truths"),
    [
        ("label-studio.class.json", ["Positive", None]),
        ("toloka.class.tsv", [None, "dog"]),
        ("appen.class.csv", [None, "negative"]),
        ("zooniverse.class.csv", ["Smooth", None]),
    ],
)
def test_what_a_tool_holds_for_right_is_a_known_truth_and_no_vote(name, truths):
    assert quiet(GOLDEN / name).truths() == truths


def test_a_file_a_member_of_doccano():
    labels = quiet(GOLDEN / "doccano-members")
    assert [row[:2] for row in rows(labels)] == [("1", "ann"), ("1", "bob"), ("2", "ann")]
    assert rows(labels)[1][2] == ["O", "O", "O", "O", "O", "B-LOC", "O"]
    single = quiet(GOLDEN / "doccano-members" / "ann.jsonl")
    assert list(single.annotators) == ["ann"]


def test_csv_of_label_studio_and_the_form_of_mturk():
    assert rows(quiet(GOLDEN / "label-studio-min.csv")) == [
        ("101", "7", "Positive"),
        ("101", "8", "Negative"),
    ]
    assert rows(quiet(GOLDEN / "mturk-form.csv")) == [("3A", "W1", "Cat"), ("3A", "W2", "Dog")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mturk.class.csv", "1 assignments that were rejected"),
        ("toloka.class.tsv", "1 assignments that are REJECTED"),
        ("appen.class.csv", "1 judgments of tainted contributors"),
    ],
)
def test_what_is_left_out_is_said(name, said):
    with pytest.warns(LabelWarning, match=said):
        read(GOLDEN / name)


def test_records_of_argilla_s_server(tmp_path):
    value = {"label": {"value": "yes"}}
    record = {"id": "a", "fields": {"text": "t"}, "responses": [
        {"user_id": "u1", "status": "submitted", "values": value},
        {"user_id": "u2", "status": "discarded", "values": None},
        {"user_id": "u3", "status": "draft", "values": value},
    ]}  # fmt: skip
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record) + "\n")
    with pytest.warns(LabelWarning, match="1 drafts"):
        labels = read(path)
    assert rows(labels) == [("a", "u1", "yes"), ("a", "u2", None)]


def test_a_yes_or_no_of_prodigy_and_its_nameless_session(tmp_path):
    path = tmp_path / "p.jsonl"
    lines = [
        {
            "text": "x",
            "label": "SPAM",
            "answer": answer,
            "_input_hash": 1,
            "_task_hash": 5,
            "_session_id": session,
        }
        for answer, session in (("accept", "a"), ("reject", "b"), ("ignore", None))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert rows(quiet(path)) == [("5", "a", "accept"), ("5", "b", "reject"), ("5", "unnamed", None)]


def test_several_questions_are_asked_about(tmp_path):
    def choice(question: str, name: str) -> dict:
        return {"from_name": question, "to_name": "t", "type": "choices", "value": {"choices": [name]}}

    result = [choice("mood", "glad"), choice("topic", "art")]
    box = {"from_name": "box", "type": "rectanglelabels", "value": {"x": 1}}
    tasks = [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [*result, box]}]}]
    path = tmp_path / "two.json"
    path.write_text(json.dumps(tasks))
    with pytest.raises(FormatError, match=r"several questions, such as 'mood' and 'topic'.*label=mood"):
        read(path)
    assert rows(read(path, columns="label=topic")) == [("1", "1", "art")]


def test_a_file_of_boxes_holds_no_label_and_says_so(tmp_path):
    box = {"from_name": "box", "type": "rectanglelabels", "value": {"x": 1, "rectanglelabels": ["cat"]}}
    path = tmp_path / "boxes.json"
    path.write_text(
        json.dumps([{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [box]}]}])
    )
    with pytest.raises(FormatError, match=r"holds no answer.*1 results of the type 'rectanglelabels'"):
        read(path)


def test_a_question_that_was_not_answered_is_an_abstention(tmp_path):
    region = {"from_name": "mood", "type": "choices", "value": {"choices": ["glad"]}}
    tasks = [{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [region]},
                                                   {"completed_by": 2, "result": []}]}]  # fmt: skip
    path = tmp_path / "one.json"
    path.write_text(json.dumps(tasks))
    assert rows(read(path)) == [("1", "1", "glad"), ("1", "2", None)]
    assert rows(read(path, kind="set")) == [("1", "1", ["glad"]), ("1", "2", [])]
    assert rows(read(path, missing="drop")) == [("1", "1", "glad")]
    with pytest.raises(LabelError, match=r"record 1 \(task '1', annotator '2'\) has an empty label"):
        read(path, missing="error")


# A change to a golden file, and what the error says: file, line or record, field, value.
FAULTS = [
    ("label-studio.class.json", '"completed_by": 8', '"completed_by": [8]', r":1: record 1, field annotations\[1\].completed_by: \[8\] is not a name"),
    ("label-studio.class.json", '"choices": ["Positive"]', '"choices": "Positive"', r"record 1, field annotations\[0\].result\[0\].value.choices: 'Positive' is not a list"),
    ("label-studio.class.json", '"lead_time": 3.25', '"lead_time": "soon"', r"record 2, field annotations\[1\].lead_time: 'soon' is not a finite number"),
    ("label-studio.class.json", '"id": 102, "annotations"', '"id": null, "annotations"', r"record 2, field id: nothing is not a name"),
    ("label-studio.class.json", '"was_cancelled": true', '"was_cancelled": "perhaps"', r"annotations\[2\].was_cancelled: 'perhaps' is neither true nor false"),
    ("label-studio.tags.json", '"start": 27', '"start": 270', r"field annotations\[0\].result\[2\].value: 270 to 33 is no piece of a text of 34"),
    ("label-studio.ordinal.json", '"rating": 5', '"rating": "5"', r"rating: '5' is not a whole number"),
    ("argilla.class.json", '"user_id": "d757be49-ad56-4da8-9f44-c878c62872e7"', '"user_id": ""', r"record 1, field responses.label\[0\].user_id: '' is not a name"),
    ("prodigy.class.jsonl", '"answer": "ignore"', '"answer": "later"', r":3: record 3, field answer: 'later' is none of 'accept'"),
    ("prodigy.tags.jsonl", '"start": 0, "end": 12', '"start": 12, "end": 0', r":1: record 1, field spans\[0\]: 12 to 0 is no piece"),
    ("doccano.class.jsonl", '"user": 2', '"user": {}', r":1: record 1, field annotations\[1\].user"),
    ("mturk.class.csv", '"12"', '"12s"', r":2: field WorkTimeInSeconds: '12s' is not a finite number"),
    ("mturk.class.csv", '"W2","Submitted"', '"","Submitted"', r":3: field WorkerId: '' is not a name"),
    ("toloka.class.tsv", "t1\tas-w2", "\tas-w2", r":5: field ASSIGNMENT:task_id: '' is not a name"),
    ("appen.class.csv", "681448153,2/25/2015 05:24:00,true,3", "681448153,2/25/2015 05:24:00,maybe,3", r":4: field _golden: 'maybe' is neither"),
    ("zooniverse.class.csv", '""value"": ""Disk""', '""value"": {}', r":3: field annotations\[0\].value: an object with \[\] is not a name"),
    ("zooniverse.class.csv", '"[{""task""', '"[{task""', r":2: field annotations: .* is not JSON"),
    ("sagemaker.class.json", '"{\\"crowd-classifier\\": {}}"', '"{"', r"record 1, field annotations\[2\].annotationData.content: '\{' is not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "told"), FAULTS)
def test_a_fault_names_file_record_and_field(name, old, new, told, tmp_path):
    text = (GOLDEN / name).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FormatError, match=told) as caught:
        quiet(path, format=name.split(".")[0])
    assert str(path) in str(caught.value)


BROKEN = [
    (
        b'[{"id": 1,\n "data": {]}, {"id": 2, "data": {}}]',
        r":2: record 1 is not JSON \(.* at its character 21\)",
    ),
    (b'[{"id": 1, "data": {}', "record 1 is cut off"),
    (b'[{"id": 1}, 5]', "record 2 begins with '5]'"),
    (b'[{"id": 1} {"id": 2}]', r"'\{' follows after record 1 where"),
    (b'[{"id": 1}', "the file ends after record 1"),
    (b'[{"id": 1}] more', "more text follows"),
    (b'[{"id": "\xe9"}]', "0xe9 is not UTF-8"),
    (b'[{"id": "\xc3', "the last character is cut off"),
    (b'[{"id": "\\ud800"}]', "half of a surrogate pair"),
    (b"[" + b'{"a":' * 100_000, "record 1 is not JSON that can be read"),
    (b'[{"id": ' + b"9" * 5000 + b"}]", "record 1 is not JSON that can be read"),
    (b"[]", "holds no answer"),
    (b'\xef\xbb\xbf[{"id": 1, "data": {}, "annotations": []}]', "holds no answer"),
]


@pytest.mark.parametrize(("content", "told"), BROKEN)
def test_json_that_is_none(content, told, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=told):
        read(path, format="label-studio")


def test_json_in_blocks_of_any_length_is_the_same(tmp_path, monkeypatch):
    from manyhands.io import json_stream

    for name in ("label-studio.class.json", "sagemaker.class.json", "prodigy.tags.jsonl"):
        whole = quiet(GOLDEN / name)
        for block in (1, 2, 3, 7, 64):
            with monkeypatch.context() as patch:
                patch.setattr(json_stream, "BLOCK", block)
                assert quiet(GOLDEN / name).equals(whole)


@pytest.mark.parametrize("name", ["label-studio.class.json", "prodigy.class.jsonl", "mturk.class.csv"])
def test_gzip_is_inflated_while_it_is_read_and_a_damaged_one_told(name, tmp_path):
    path = tmp_path / f"{name}.gz"
    packed = gzip.compress((GOLDEN / name).read_bytes())
    path.write_bytes(packed)
    assert quiet(path).equals(quiet(GOLDEN / name))
    for content in (packed[:-20], packed[:40] + b"\0\0\0" + packed[43:]):
        path.write_bytes(content)
        with pytest.raises(ManyhandsError, match=r"gzip file is (cut off|damaged)"):
            quiet(path, format=name.split(".")[0])


def test_one_task_has_two_truths(tmp_path):
    text = (
        (GOLDEN / "toloka.class.tsv")
        .read_text()
        .replace("dog\tdog\t\t\thttps://t\tt2\tas-w3", "dog\tcat\t\t\thttps://t\tt2\tas-w3")
    )
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=r":6: field GOLDEN:result: task 't2' has the truth .* in line 3"):
        quiet(path)


def test_plain_tables_stay_plain(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("HITId,WorkerId,label\na,x,y\n")
    assert rows(read(path)) == [("a", "x", "y")]
    lines = tmp_path / "votes.jsonl"
    lines.write_text('{"task": "a", "annotator": "x", "label": ["O"], "text": "b", "id": 3}\n')
    assert read(lines).kind == "tags"
    forced = read(
        GOLDEN / "mturk.class.csv", format="csv", columns="label=Answer.category.label", missing="drop"
    )
    assert forced.n_answers == 4  # also what was rejected: nobody said whose file it is


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_what_a_tool_has_no_form_for_is_refused_and_nothing_is_written(name, tmp_path):
    soft = Annotations.from_dict({"t": {"a": {"x": 0.2, "y": 0.8}}})
    with pytest.raises(UnsupportedError, match="kind='soft' has no place"):
        write(soft, tmp_path / "out", format=name)
    tags = Annotations.from_dict({"t": {"a": ["B-X", "O"]}})
    for contents in ({}, {"t": {"text": "one two three"}}):
        with pytest.raises(UnsupportedError):
            write(tags, tmp_path / "out", format=name, contents=contents)
    nouns = Annotations.from_dict({"t": {"a": ["NOUN", "VERB"]}})
    if name == "conll":  # whose tags need be no spans
        return
    with pytest.raises(UnsupportedError):
        write(nouns, tmp_path / "out", format=name, contents={"t": {"text": "one two"}})
    assert list(tmp_path.iterdir()) == []


def test_losses_are_told():
    labels = Annotations.from_dict(
        {"t": {"a": "x", "b": None}}, missing="abstain", truth={"t": "x"}, classes=["x", "y"]
    )
    assert losses_in(labels, tool("argilla"), True) == ["1 abstentions", "known truths"]
    assert losses_in(labels, tool("label-studio"), True) == []
    assert losses_in(labels, tool("toloka"), False) == ["what the tasks show: there is only their name"]
    empty = Annotations.from_dict({"t": {"a": {"x"}, "b": set()}})
    assert any("empty sets" in loss for loss in losses_in(empty, tool("appen"), True))


def test_columns_and_names_that_are_not_there(tmp_path):
    with pytest.raises(ParameterError, match=r"no column 'Nope'.*there are 'HITId'"):
        quiet(GOLDEN / "mturk.class.csv", columns="task=Nope")
    with pytest.raises(ParameterError, match="no column 'Nope'"):
        quiet(GOLDEN / "toloka.class.tsv", columns="label=Nope")
    with pytest.raises(ParameterError, match="delimiter="):
        quiet(GOLDEN / "label-studio.class.json", delimiter=";")
    with pytest.raises(ManyhandsError, match="format='excel' must be one of"):
        read(GOLDEN / "mturk.class.csv", format="excel")
    named = quiet(GOLDEN / "mturk.class.csv", columns="task=Input.image_url")
    assert named.tasks[0] == "https://e.com/1.jpg"


def test_written_tables_are_read_by_the_standard_library(tmp_path):
    labels = quiet(GOLDEN / "mturk.class.csv")
    write(labels, tmp_path / "m.csv", format="mturk")
    with open(tmp_path / "m.csv", newline="") as handle:
        found = [
            (row["HITId"], row["WorkerId"], row["Answer.label"] or None) for row in csv.DictReader(handle)
        ]
    assert found == rows(labels)
    write(labels, tmp_path / "l.json", format="label-studio")
    tasks = json.loads((tmp_path / "l.json").read_text())
    assert [len(task["annotations"]) for task in tasks] == [2, 2]
    assert all(entry["ground_truth"] is False for task in tasks for entry in task["annotations"])
