"""CoNLL columns in and out: what may stand in them, what is wrong in them, and that nothing changes on the way."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands import Annotations
from manyhands.errors import FormatError, ManyhandsError, ParameterError, UnsupportedError
from manyhands.io import read, read_sentences, read_truth, write

GOLDEN = Path(__file__).parent / "golden" / "conll.tags.conll"


def said(labels: Annotations) -> list[tuple]:
    return labels.to_frame().select("task", "annotator", "label").rows()


def written(folder: Path, text: str | bytes, name: str = "crowd.conll") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_what_the_golden_file_says():
    labels = read(GOLDEN, truth="truth")
    assert read(GOLDEN).truth is None  # nobody learns from it unasked
    assert said(labels) == [
        ("d1.s1", "ann", ["B-PER", "I-PER", "O", "B-PER"]),
        ("d1.s1", "bob", ["O", "B-PER", "O", "O"]),
        ("d1.s2", "bob", ["O", "B-LOC", "I-LOC", None]),
    ]
    assert labels.truths() == [["B-PER", "I-PER", "O", "B-PER"], None]
    sentences = read_sentences(GOLDEN)
    assert sentences.X.tolist() == [["Barack", "Obama", "met", "Merkel"], ["in", "New", "York", "."]]
    assert sentences.splits == ["train", None]
    assert read_truth(GOLDEN) == {"d1.s1": ["B-PER", "I-PER", "O", "B-PER"]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["\t", " ", "  "])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_tabs_spaces_line_ends_and_marks_say_the_same(tmp_path, end, mark, bom):
    lines = ["-DOCSTART- -X- O", "", "Ada B-PER ?", "wrote O _", "", "", "# O O", "1 O O"]
    text = bom + end.join(line if line.startswith("-") else line.replace(" ", mark) for line in lines)
    labels = read(written(tmp_path, text))
    assert said(labels) == [("1", "1", ["B-PER", "O"]), ("2", "1", ["O", "O"]), ("2", "2", ["O", "O"])]
    assert read_sentences(tmp_path / "crowd.conll").X.tolist() == [["Ada", "wrote"], ["#", "1"]]


def test_names_of_columns_by_option(tmp_path):
    path = written(tmp_path, "Ada NNP B-PER O B-PER\nwrote VBD O O O\n")
    with pytest.raises(FormatError, match=r"crowd.conll:1: 'NNP' is no tag .* columns="):
        read(path)
    labels = read(path, columns="token,_,ann,bob,truth", truth="truth")
    assert said(labels) == [("1", "ann", ["B-PER", "O"]), ("1", "bob", ["O", "O"])]
    assert labels.truths() == [["B-PER", "O"]]
    with pytest.raises(FormatError, match="there are 5 columns, but 3 names"):
        read(path, columns="token,ann,bob")
    with pytest.raises(FormatError, match="two columns are named 'ann'"):
        read(path, columns="token,_,ann,ann,truth")
    with pytest.raises(ParameterError, match="in their order"):
        read(path, columns="task=a")
    parts = read(path, columns="word,pos,_,_,_")  # tags need be no spans where columns are named
    assert said(parts) == [("1", "pos", ["NNP", "VBD"])]


def test_a_file_an_annotator_in_a_folder(tmp_path):
    written(tmp_path, "# sent_id = s\nAda B-PER\nwrote O\n", "ann.conll")
    written(tmp_path, "# sent_id = s\nAda O\nwrote O\n", "bob.conll")
    assert said(read(tmp_path)) == [("s", "ann", ["B-PER", "O"]), ("s", "bob", ["O", "O"])]


def test_gzip_other_names_and_joined_files(tmp_path):
    text = GOLDEN.read_bytes()
    written(tmp_path, gzip.compress(text), "crowd.conll.gz")
    assert read(tmp_path / "crowd.conll.gz").equals(read(GOLDEN))
    assert read(written(tmp_path, text, "crowd.txt"), format="conll").equals(read(GOLDEN))
    assert read(written(tmp_path, text, "own.txt")).equals(read(GOLDEN))  # by its first line
    more = b"\n# columns = token\tcid\n# task = d2\nso\tO\n"
    joined = read(written(tmp_path, text + more))
    assert said(joined)[-1] == ("d2", "cid", ["O"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"Ada B-PER\nwrote\n", r":2: 1 column where the lines before have 2"),
        (b"# columns = token ann bob\nAda B-PER\n", r":2: 2 columns where the file names 3"),
        (b"Ada\tO\n\tO\n", r":2: there is no token"),
        (b"Ada O\n\xff O\n", r":2: byte 1 of the line \(0xff\) is not UTF-8"),
        (b"Ada O\nw\0 O\n", r":2: byte 2 of the line is NUL"),
        (b"", "is empty"),
        (b"\n\n", "holds no answer"),
        (b"Ada\nwrote\n", "holds no answer"),
        (b'{"task": 1}\n', "looks like JSON lines"),
        (b"# task = t\nAda O\n\n# task = t\nAda O\n", "answered task 't'"),
        (b"# columns = token a\nAda O\n\n# columns = token b\n# task = 1\nAda O\nso O\n", "task '1'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, says):
    with pytest.raises(ManyhandsError, match=says):
        read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("labels", "tokens"),
    [
        ({"t": {"ann": ["O", "O"]}}, ["one"]),
        ({"t": {"ann": ["O"]}}, ["a\tb"]),
        ({"t": {"ann": ["O"]}}, ["-DOCSTART-"]),
        ({"t": {"ann": ["O"]}}, ["# task = u"]),
        ({"t": {"ann": ["?"]}}, ["one"]),
        ({"t": {"truth": ["O"]}}, ["one"]),
        ({"t": {"Token": ["O"]}}, ["one"]),
        ({"t\n": {"ann": ["O"]}}, ["one"]),
    ],
)
def test_what_would_be_read_as_something_else_is_not_written(tmp_path, labels, tokens):
    table = Annotations.from_dict(labels, kind="tags")
    with pytest.raises(UnsupportedError):
        write(table, tmp_path / "out.conll", contents={task: {"tokens": tokens} for task in labels})
    assert not list(tmp_path.iterdir())


def test_two_answers_have_one_column(tmp_path):
    twice = Annotations.from_arrays(["t", "t"], ["ann", "ann"], [["O"], ["B-X"]], repeats="all")
    with pytest.raises(UnsupportedError, match="twice"):
        write(twice, tmp_path / "out.conll", contents={"t": {"tokens": ["one"]}})


TOKEN = st.text(min_size=1, max_size=6).filter(
    lambda t: t.isprintable() and t.strip() and not t.startswith("-D")
)
TAGS = st.sampled_from(["O", "B-X", "I-X", "B-a b", None])
NAMES = st.sampled_from(["ann", "bob", "a b", "#", "O", "ü,"])


@st.composite
def crowds(draw):
    tasks = draw(st.lists(st.text("ab #=:é", min_size=1, max_size=5).map(str.strip).filter(bool), unique=True,
                          min_size=1, max_size=4))  # fmt: skip
    words, said, truths = {}, {}, {}
    for task in tasks:
        tokens = draw(st.lists(TOKEN, min_size=1, max_size=5))
        tags = st.lists(TAGS, min_size=len(tokens), max_size=len(tokens)).filter(any)
        words[task] = tokens
        said[task] = {name: draw(tags) for name in draw(st.sets(NAMES, min_size=1))}
        if draw(st.booleans()):
            truths[task] = draw(tags)
    return words, said, truths


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(crowds())
def test_what_is_written_is_read_again(tmp_path_factory, crowd):
    words, answers, truths = crowd
    path = tmp_path_factory.mktemp("conll") / "out.conll"
    try:
        write(
            Annotations.from_dict(answers, kind="tags", truth=truths or None), path,
            contents={task: {"tokens": tokens} for task, tokens in words.items()},
        )  # fmt: skip
    except UnsupportedError:  # a token that looks like a remark
        return
    again, sentences = read(path, truth="truth" if truths else None), read_sentences(path)
    assert dict(zip(sentences.ids, sentences.X.tolist(), strict=True)) == words
    found: dict = {}
    for task, who, tags in said(again):
        found.setdefault(task, {})[who] = tags
    assert found == answers
    known = dict(zip(again.tasks, again.truths(), strict=True)) if again.truth is not None else {}
    assert {task: tags for task, tags in known.items() if tags is not None and any(tags)} == truths


def test_a_truth_file_may_have_one_column_of_tags(tmp_path):
    path = written(tmp_path, "Ada B-PER\nwrote O\n\nso O\n", "gold.conll")
    assert read_truth(path) == {"1": ["B-PER", "O"], "2": ["O"]}
    labels = read(written(tmp_path, "# columns = token ann\nAda O\nwrote O\n\nso O\n"), truth=path)
    assert labels.truths() == [["B-PER", "O"], ["O"]]
    with pytest.raises(FormatError, match="2 columns of tags, and none is named truth"):
        read_truth(written(tmp_path, "Ada B-PER O\n"))


def test_spans_of_conll_columns_go_into_tools_and_come_back(tmp_path):
    table = read(GOLDEN)
    with pytest.raises(ManyhandsError, match="neither a column"):
        read(GOLDEN, truth="nowhere")
    shown = read_sentences(GOLDEN).contents()
    for name in ("label-studio", "doccano", "prodigy", "argilla", "sagemaker"):
        path = tmp_path / f"{name}.json"
        write(table[:1], path, format=name, contents=shown)
        again = read(path)
        assert [row[2] for row in said(again)] == [row[2] for row in said(table[:1])]
        assert read_sentences(path).X.tolist() == [["Barack", "Obama", "met", "Merkel"]]
