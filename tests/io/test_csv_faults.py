"""Every fault of a csv file is told with the file, the line and the cure."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import pytest

from manyhands.errors import (
    FileError,
    FormatError,
    LabelError,
    ManyhandsError,
    MissingLabelError,
    ParameterError,
)
from manyhands.io import read, read_frame

HEAD = b"task,annotator,label\n"
GOOD = HEAD + b"t1,ann,x\nt2,bob,y\n"


def put(folder: Path, content: bytes, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


# (name of the case, content, line, words of the message)
FAULTS = [
    ("delimiter", GOOD.replace(b",", b";"), 1, r"one column 'task;annotator;label'; it looks separated by ';': pass delimiter=';' \(--delimiter ';'\)"),
    ("tabs", GOOD.replace(b",", b"\t"), 1, r"--delimiter 'tab'"),
    ("header split wrongly", b"task;annotator;label,note\nt;a;x,n\n", 1, "looks separated by ';'"),
    ("column", b"task,who,label\nt1,a,x\n", 1, r"no column for the annotator: the columns are 'task', 'who', 'label'.*--columns annotator=NAME.*--layout wide"),
    ("twice", b"task,annotator,label,label\nt,a,x,y\n", 1, "columns 3 and 4 are both named 'label'"),
    ("excel", b"sep=;\n" + GOOD.replace(b",", b";"), 1, "for Excel"),
    ("utf-8", GOOD + b"t3,\xe9,x\n", 4, r"byte 4 of the line \(0xe9\) is not UTF-8.*iconv"),
    ("utf-8 in the header", b"task,annot\xe9,label\nt,a,x\n", 1, "byte 11 .*not UTF-8"),
    ("nul", GOOD + b"t3,\0,x\n", 4, "byte 4 of the line is NUL"),
    ("short", GOOD + b"t3,ann\nt4,bob,y\n", 4, "2 fields where the header has 3: fill the row up"),
    ("short and quoted", GOOD + b't3,"ann"\nt4,bob,y\n', 4, "2 fields where the header has 3"),
    ("cut", GOOD + b"t3,an", 4, "2 fields where the header has 3, and it is the last: the file looks cut off"),
    ("long", GOOD + b"t3,ann,x,z\n", 4, "4 fields where the header has 3: quote"),
    ("long, then short", GOOD + b"t3,ann,x,z\nt4,bob\n", 4, "4 fields"),
    ("short, then long", GOOD + b"t3,ann\nt4,bob,x,y\n", 4, "2 fields"),
    ("unclosed", GOOD + b't3,"ann,x\nt4,bob,y\n', 4, "a quote is opened here and never closed"),
    ("unclosed and last", GOOD + b't3,ann,"x\n', 4, "a quote is opened here and never closed"),
    ("text after a quote", GOOD + b't3,"a"nn,x\n', 4, "closing quote is followed by more text"),
    ("after a quoted line end", HEAD + b'"t\n1",ann,x\nt2,bob\nt3,bob,y\n', 4, "2 fields"),
    ("after blank lines", GOOD + b"\n\r\nt3,ann\nt4,bob,y\n", 6, "2 fields"),
    ("with windows ends", GOOD.replace(b"\n", b"\r\n") + b"t3,ann\r\nt4,b,y\r\n", 4, "2 fields"),
    ("with the ends of old macs", GOOD.replace(b"\n", b"\r") + b"t3,ann\rt4,b,y\r", 4, "2 fields"),
    ("empty task", GOOD + b",ann,x\n", 4, "task ids: line 4 is empty"),
    ("empty label", GOOD + b"t3,ann,\n", 4, r"line 4 \(task 't3', annotator 'ann'\) has an empty label"),
    ("empty label in quotes", GOOD + b't3,ann,""\n', 4, "line 4 .* has an empty label"),
    ("empty label after a quoted line end", HEAD + b'"t\n1",ann,x\nt2,bob,\n', 4, "line 4"),
    ("repeat", GOOD + b"t1,ann,y\n", 4, "in line 2 and again in line 4"),
    ("repeat after a blank line", GOOD + b"\nt1,ann,y\n", 5, "in line 2 and again in line 5"),
    ("decimals", GOOD + b"t3,ann,z\n", None, ""),
    ("a decimal", HEAD + b"t1,ann,1\nt2,bob,1.5\n", 3, "'1.5' in line 3 is a number with decimals"),
]  # fmt: skip


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("content", "line", "says"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_faults_are_told_with_their_line(
    tmp_path: Path, content: bytes, line: int | None, says: str, zipped: bool
) -> None:
    for start in (b"", b"\xef\xbb\xbf"):  # a byte order mark changes nothing
        text = start + content
        path = put(
            tmp_path, gzip.compress(text) if zipped else text, "votes.csv.gz" if zipped else "votes.csv"
        )
        if line is None:
            assert read(path).n_answers == 3
            continue
        with pytest.raises(ManyhandsError, match=says) as found:
            read(path)
        assert str(found.value).startswith(f"{path}:{line}: ")


def test_a_row_in_a_label_is_not_taken_for_a_place(tmp_path: Path) -> None:
    path = put(tmp_path, HEAD + b"t1,ann,x\nrow 1 of 2,bob,y\nrow 1 of 2,bob,y\n")
    with pytest.raises(LabelError, match="answered task 'row 1 of 2' in line 3 and again in line 4"):
        read(path)


def test_errors_of_labels_keep_their_class_and_row(tmp_path: Path) -> None:
    with pytest.raises(MissingLabelError) as found:
        read(put(tmp_path, GOOD + b"t3,ann,\n"))
    assert found.value.row == 2


def test_a_wrong_class_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"votes\.csv:3: label 'y' in line 3 is not among the declared"):
        read(put(tmp_path, GOOD), classes=["x"])


EMPTY = [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf"]


@pytest.mark.parametrize("content", EMPTY)
def test_an_empty_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match="is empty"):
        read(put(tmp_path, content))


@pytest.mark.parametrize("content", [HEAD, HEAD[:-1], HEAD + b"\n\n"])
def test_a_header_alone_is_zero_rows(tmp_path: Path, content: bytes) -> None:
    labels = read(put(tmp_path, content))
    assert (labels.n_tasks, labels.n_annotators, labels.n_answers) == (0, 0, 0)


NOT_CSV = [
    (b"PAR1" + b"x" * 20, "a parquet file; rename it to .parquet"),
    (gzip.compress(GOOD), "a gzip file; add .gz"),
    (b"PK\x03\x04rest", r"a spreadsheet \(.xlsx\).*save the sheet as CSV"),
    (GOOD.decode().encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    (b"<!DOCTYPE html><html></html>", "a web page"),
    (b'[{"task": 1}]', "one JSON array"),
    (b'{"task": 1, "annotator": 2, "label": 3}\n', r"JSON lines; rename it to \.jsonl"),
    (b"SQLite format 3\0", "SQLite"),
    (b"\x80\x04\x95pickle", "pickles are never opened"),
]


@pytest.mark.parametrize(("content", "says"), NOT_CSV, ids=[f[1][:12] for f in NOT_CSV])
def test_what_is_not_csv_says_what_it_looks_like(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as found:
        read(put(tmp_path, content))
    assert "votes.csv" in str(found.value)


def test_gzip_that_is_cut_damaged_or_none(tmp_path: Path) -> None:
    rows = b"".join(b"task-%d,ann,%s\n" % (i, os.urandom(20).hex().encode()) for i in range(20_000))
    packed = gzip.compress(HEAD + rows)
    with pytest.raises(FormatError, match=r"votes\.csv\.gz:\d+: the gzip file is cut off") as found:
        read(put(tmp_path, packed[: len(packed) // 2], "votes.csv.gz"))
    assert 5_000 < found.value.line < 15_000  # type: ignore[operator]
    damaged = packed[:5000] + b"\xff" * 5000 + packed[10_000:]
    with pytest.raises(FormatError, match="the gzip file is damaged"):
        read(put(tmp_path, damaged, "votes.csv.gz"))
    with pytest.raises(FormatError, match=r"named \.gz but looks like text such as csv: take \.gz off"):
        read(put(tmp_path, GOOD, "votes.csv.gz"))


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    put(tmp_path, GOOD)
    with pytest.raises(FileError, match=r"no such file; there is 'votes\.csv'"):
        read(tmp_path / "vote.csv")
    with pytest.raises(FileError, match="and no folder"):
        read(tmp_path / "lost" / "votes.csv")
    with pytest.raises(FormatError, match=r"has \.dat.*format='csv'"):
        read(put(tmp_path, GOOD, "votes.dat"))
    assert read(tmp_path / "votes.dat", format="csv").n_answers == 2
    assert read(put(tmp_path, gzip.compress(GOOD), "votes.dat"), format="csv").n_answers == 2
    with pytest.raises(ParameterError, match="must be one of 'csv'"):
        read(tmp_path / "votes.dat", format="xml")


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n", "é"])
def test_delimiters_that_are_none(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(ParameterError, match="must be one plain character"):
        read(put(tmp_path, GOOD), delimiter=delimiter)


@pytest.mark.parametrize("said", ["tab", "\t", "\\t"])
def test_delimiters_as_a_shell_can_give_them(tmp_path: Path, said: str) -> None:
    assert read(put(tmp_path, GOOD.replace(b",", b"\t")), delimiter=said).n_answers == 2


def test_what_is_odd_but_sound_is_read(tmp_path: Path) -> None:
    odd = {
        b"task,annotator,label\r\nt1,ann,x\r\nt2,bob,y\r\n": [("t1", "ann", "x"), ("t2", "bob", "y")],
        b"task,annotator,label\rt1,ann,x\rt2,bob,y": [("t1", "ann", "x"), ("t2", "bob", "y")],
        b"\n\ntask,annotator,label\nt1,ann,x\n\n": [("t1", "ann", "x")],
        b'task,annotator,label\n"t\n1","ann","say ""x"""\n': [("t\n1", "ann", 'say "x"')],
        b'task,annotator,label\nt1,ann,5" wide\nt2,bob,6" wide\n': [
            ("t1", "ann", '5" wide'),
            ("t2", "bob", '6" wide'),
        ],
        b"task,annotator,label,\nt1,ann,x,\n": [("t1", "ann", "x", None)],
    }
    for content, rows in odd.items():
        assert read_frame(put(tmp_path, content)).rows() == rows


def test_bad_bytes_in_a_column_that_nobody_asked_for_are_told_all_the_same(tmp_path: Path) -> None:
    path = put(tmp_path, b"task,annotator,label,note\nt1,ann,x,\xff\n")
    with pytest.raises(FormatError, match=r"votes\.csv:2: byte 10"):
        read(path)


def test_a_field_may_be_longer_than_pythons_limit(tmp_path):
    text = "word " * 40_000  # 200 KB; the quote makes it go through the careful pass
    path = tmp_path / "texts.csv"
    path.write_text(f'task,annotator,label\n"t ""1""",ann,"{text}"\nt2,ann,x\n')
    limit = csv.field_size_limit()
    assert read(path).n_answers == 2
    assert csv.field_size_limit() == limit
    path.write_text(f'task,annotator,label\n"t ""1""",ann,"{text}\nt2,ann,x\n')
    with pytest.raises(FormatError, match=r":2: a quote is opened here and never closed"):
        read(path)
