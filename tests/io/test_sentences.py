"""The words of tasks, from any table or export."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.errors import FormatError, LabelError, ManyhandsError, ParameterError
from manyhands.io import read, read_sentences, read_truth

GOLDEN = Path(__file__).parent / "golden"


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_labels_and_words_from_one_file_of_json_lines(tmp_path):
    path = lines(
        tmp_path / "crowd.jsonl",
        {"task": "s", "tokens": ["Ada", "wrote"], "annotator": "ann", "labels": ["B-PER", "O"]},
        {"task": "s", "tokens": ["Ada", "wrote"], "annotator": "bob", "labels": ["O", "O"]},
        {"task": "t", "tokens": None, "annotator": "bob", "labels": ["O"]},
        {"task": "t", "tokens": ["So"], "annotator": "ann", "labels": ["O"]},
    )
    labels, sentences = read(path), read_sentences(path)
    assert labels.kind == "tags"
    assert labels.tasks.to_list() == sentences.ids.to_list() == ["s", "t"]
    assert sentences.X.tolist() == [["Ada", "wrote"], ["So"]]


def test_other_words_for_one_task_and_no_words(tmp_path):
    two = lines(tmp_path / "a.jsonl", {"task": "s", "tokens": ["Ada"]}, {"task": "s", "tokens": ["Bob"]})
    with pytest.raises(LabelError, match=r"a.jsonl:2: task 's' has other words in line 2"):
        read_sentences(two)
    none = lines(tmp_path / "b.jsonl", {"task": "s", "tokens": ["Ada"]}, {"task": "t", "tokens": None})
    with pytest.raises(LabelError, match=r"b.jsonl:2: line 2 has no tokens"):
        read_sentences(none)
    odd = lines(tmp_path / "c.jsonl", {"task": "s", "tokens": ["Ada", ["x"]]})
    with pytest.raises(LabelError, match="neither a text nor a list of words"):
        read_sentences(odd)
    bare = lines(tmp_path / "d.jsonl", {"task": "s", "what": "x"})
    with pytest.raises(FormatError, match="no column named tokens, words, text, sentence"):
        read_sentences(bare)
    with pytest.raises(ParameterError, match="no column 'body'"):
        read_sentences(bare, "body")


def test_texts_are_cut_and_places_kept(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text('item,body,split\nt1,"  Ada wrote, so.",train\nt2,Ça va?,test\n')
    table = read_sentences(path, "body")
    assert table.X.tolist() == [["Ada", "wrote", ",", "so", "."], ["Ça", "va", "?"]]
    assert table.splits == ["train", "test"]
    assert table.words[0].places[1] == (6, 11)
    assert table.words[0].text[6:11] == "wrote"


def test_tokens_of_csv_are_words_between_spaces_or_json(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('task,tokens\na,U.S. won .\nb,"[""New York"",""won""]"\n')
    assert read_sentences(path).X.tolist() == [["U.S.", "won", "."], ["New York", "won"]]


@pytest.mark.parametrize(
    "name",
    ["label-studio.tags.json", "label-studio-min.tags.json", "doccano.tags.jsonl", "prodigy.tags.jsonl",
     "argilla.tags.json", "sagemaker.tags.json", "label-studio-predictions.tags.json"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::manyhands.errors.LabelWarning")
def test_exports_bring_as_many_words_as_tags(name):
    labels, sentences = read(GOLDEN / name), read_sentences(GOLDEN / name)
    aligned = labels.align(sentences.ids)
    for row, task in enumerate(aligned.task.tolist()):
        tags = aligned.answers.starts[row + 1] - aligned.answers.starts[row]
        assert tags == len(sentences.X[task])


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["task", "tokens", "text", "split", "annotator", "labels"]), JUNK),
        max_size=4,
    )
)
def test_whatever_json_lines_hold_they_are_read_or_refused_by_an_error_of_ours(tmp_path_factory, records):
    path = lines(tmp_path_factory.mktemp("junk") / "junk.jsonl", *records)
    for attempt in (read_sentences, read, read_truth):
        with contextlib.suppress(ManyhandsError):
            attempt(path)
