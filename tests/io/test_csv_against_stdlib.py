"""The quick reader against the csv module of the standard library, on tables and on garbage."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manyhands.errors import ManyhandsError
from manyhands.io import read, read_frame, source, survey, write_frame
from manyhands.io.formats import Format

CELLS = st.text(st.sampled_from('ab1,;"\n\r é\t'), max_size=4) | st.text(max_size=3)
CELL = CELLS.filter(lambda s: "\0" not in s and not any(0xD800 <= ord(c) < 0xE000 for c in s))


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(2, 4))
    return draw(st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=6))


@given(
    tables(), st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from([",", ";", "\t"]),
)  # fmt: skip
@settings(max_examples=150)
@pytest.mark.slow
def test_any_table_that_the_standard_library_writes(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str, quoting: int, delimiter: str
) -> None:
    header = [f"c{i}" for i in range(len(rows[0]) if rows else 2)]
    if any("\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL  # up to Python 3.12 the module does not quote what it reads as an end
    text = io.StringIO()
    csv.writer(text, lineterminator=end, quoting=quoting, delimiter=delimiter).writerows([header, *rows])  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    found = read_frame(path, delimiter=delimiter)
    assert [[cell or "" for cell in row] for row in found.rows()] == rows
    # Some columns only: polars takes another way then.
    assert [row[0] or "" for row in read_frame(path, delimiter=delimiter, columns=header[1:]).rows()] == [
        r[1] for r in rows
    ]


@given(tables())
def test_what_we_write_the_standard_library_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    header = [f"c{i}" for i in range(len(rows[0]) if rows else 2)]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    write_frame(pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row"), path)
    with open(path, newline="", encoding="utf-8") as handle:
        assert list(csv.reader(handle)) == [header, *rows]
    assert [[cell or "" for cell in row] for row in read_frame(path).rows()] == rows


START = b'task,annotator,label\nt1,ann,x\nt2,bob,"y, z"\nt3,ann,x\nt1,bob,w\n'


def surveyed(path: Path, width: int, block: int) -> survey.Survey | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        return survey.survey(source.Source(path, Format("csv")), ",", width)


PLAIN = st.sampled_from(["a\nb", "x,y", "z", "", "a\nb\nc"])


@given(st.lists(st.tuples(PLAIN, PLAIN, PLAIN), max_size=5), st.booleans(), st.sampled_from([1, 2, 3, 7, 20]))
@settings(max_examples=60)
def test_plain_files_are_plain_in_blocks_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], final: bool, block: int
) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("h", "i", "j"), *rows])
    content = text.getvalue().encode()
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(content if final else content[:-1])
    assert surveyed(path, 3, block) == survey.Survey(len(rows), b'"' in content)


@pytest.mark.parametrize("block", range(1, 25))
@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n\n3,4\n5,6\n",
        b"a,b\n1,2\n3\n4,5,6\n",
        b'a,b\n1,"2\n3,4\n',
        b'a,b\n1,2\n3,"4"5\n',
        b"a,b\n1,\0\n",
        b"a,b\n1,2\r3,4\n",
    ],
)
def test_odd_files_are_odd_in_blocks_of_any_size(tmp_path: Path, content: bytes, block: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert surveyed(path, 2, block) is None


def test_an_unclosed_quote_in_a_file_of_one_column(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'a\n"b\n')
    with pytest.raises(ManyhandsError, match=r"t\.csv:2: a quote is opened"):
        read_frame(tmp_path / "t.csv")


PIECES = st.sampled_from(
    [
        b"\n",
        b"\r",
        b"\r\n",
        b",",
        b'"',
        b'""',
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b"\xef\xbb\xbf",
        b";",
        b"",
        b"x",
        b"\n\n",
        b" ",
    ]
)


@st.composite
def mutated(draw: st.DrawFn, start: bytes) -> bytes:
    content = start
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        to = at + draw(st.integers(0, 3))
        content = content[:at] + draw(PIECES | st.binary(max_size=3)) + content[to:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


def against_the_standard_library(folder: Path, content: bytes) -> None:
    path = folder / "t.csv"
    path.write_bytes(content)
    for columns in (None, "some"):
        try:
            names = read_frame(path).columns
            found = read_frame(path, columns=names[:2] if columns else None)
        except ManyhandsError:
            continue
        text = content.decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
        assert rows[0] == names
        kept = [[cell or "" for cell in row] for row in found.rows()]
        assert kept == [row[: found.width] for row in rows[1:]]
        assert all(len(row) == len(names) for row in rows)


def reading_ends_well(path: Path, **options: object) -> None:
    with suppress(ManyhandsError):
        read(path, **options)  # type: ignore[arg-type]


@given(mutated(START))
@example(b"task,annotator,label\nt1,ann\nt2,bob,x,y\n")
@example(b"task,annotator,label\nt1,ann,\n\nt2,bob,y\n")
@example(b'a,"b\nx,y\n"\n1,2\n')
@example(b'a,b",c\n1,2,"3, 4"\n5,6,7\n')
@example(b'a,b",c\n1,2,"3\n5,6,7\n')
@settings(max_examples=200)
@pytest.mark.slow
def test_garbage_is_read_as_the_standard_library_reads_it_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("t")
    against_the_standard_library(folder, content)
    reading_ends_well(folder / "t.csv")


@pytest.mark.slow
@given(
    mutated(START),
    st.sampled_from(["long", "wide"]),
    st.sampled_from([None, "number", "set", "tags", "soft", "ordinal"]),
)
@settings(max_examples=2000)
def test_much_garbage(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, layout: str, kind: str | None
) -> None:
    folder = tmp_path_factory.mktemp("t")
    against_the_standard_library(folder, content)
    reading_ends_well(folder / "t.csv", layout=layout, kind=kind)


LINES = b'{"task":"a","annotator":1,"label":"x"}\n{"task":"b","annotator":2,"label":["O","B"]}\n{"task":"c","annotator":3,"label":{"n":0.5,"y":0.5}}\n'
TOKENS = st.sampled_from(
    [
        b"\n",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"1e999",
        b"NaN",
        b"null",
        b"-",
        b"\\ud800",
        b"99999999999999999999",
        b"\xff",
        b"true",
        b"1.5",
        b"[[]]",
    ]
)


@st.composite
def mutated_lines(draw: st.DrawFn) -> bytes:
    rows = draw(st.lists(st.sampled_from(LINES.splitlines(keepends=True)), min_size=1, max_size=3))
    content = b"".join(rows)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(TOKENS) + content[at + draw(st.integers(0, 5)) :]
    return content


def lines_end_well(folder: Path, content: bytes, kind: str | None) -> None:
    path = folder / "t.jsonl"
    path.write_bytes(content)
    reading_ends_well(path, kind=kind)
    reading_ends_well(path, layout="wide", columns="task=task")


KINDS = st.sampled_from([None, "class", "number", "set", "tags", "soft"])


@given(mutated_lines(), KINDS)
@settings(max_examples=200)
@pytest.mark.slow
def test_garbage_in_json_lines_is_refused_by_us(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str | None
) -> None:
    lines_end_well(tmp_path_factory.mktemp("t"), content, kind)


@pytest.mark.slow
@given(mutated_lines(), KINDS)
@settings(max_examples=2000)
def test_much_garbage_in_json_lines(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str | None
) -> None:
    lines_end_well(tmp_path_factory.mktemp("t"), content, kind)
