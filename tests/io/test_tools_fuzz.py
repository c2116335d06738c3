"""Damaged exports: whatever a file holds, it is read or refused by an error of ours, and nothing half is written.

MANYHANDS_FUZZ=10000 runs as many files a tool; without it some hundred.
"""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.errors import ManyhandsError
from manyhands.io import read, read_sentences, write
from manyhands.io.tools.opening import open_labels
from manyhands.io.tools.registry import TOOLS
from manyhands.io.tools.table import ExportTable

GOLDEN = Path(__file__).parent / "golden"
FILES = int(os.environ.get("MANYHANDS_FUZZ", "150"))

SCALARS = st.sampled_from([
    None, True, False, 0, -1, 7, 2**70, 1.5, 1e999, float("nan"), "", " ", "0", "cat", "é", "\0", "[", "{}", "[[]]",
    "1e9", "\ud83d\ude00", "a|b", "\n", "x" * 300, "true", "O", "B-",
])  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["label", "labels", "choices", "value", "id", "start", "x"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)
BYTES = st.sampled_from([
    b"", b'"', b"{", b"}", b"[", b"]", b",", b"\n", b"\r", b"\t", b"\\", b"\0", b"\xff", b"\xed\xa0\x80", b"null", b"1e999",
    b"\\ud800", b"\xef\xbb\xbf", b"'", b"\x1f\x8b", b"[" * 3000, b"9" * 5000, b"-", b"NaN",
])  # fmt: skip
PLACES = st.floats(0, 1, exclude_max=True)
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["bytes", "cut", "double", "field", "drop", "nest"]), PLACES, PLACES, VALUES, BYTES
    ),
    min_size=1,
    max_size=3,
)


def changed(content: bytes, change: tuple[str, float, float, Any, bytes], suffix: str) -> bytes:
    how, where, length, value, junk = change
    start = int(where * len(content))
    end = min(len(content), start + int(length**4 * len(content)))
    if how == "bytes":
        return content[:start] + junk + content[end:]
    if how == "cut":
        return content[:start]
    if how == "double":
        return content[:end] + content[start:]
    try:
        return in_fields(content, how, where, length, value, suffix)
    except (ValueError, RecursionError, IndexError, csv.Error):
        return content[:start] + junk + content[end:]


def in_fields(content: bytes, how: str, where: float, other: float, value: Any, suffix: str) -> bytes:
    """A value, a cell or a value in the JSON of a cell replaced, left out, or put into lists and objects."""
    text = content.decode("utf-8")
    if suffix == ".json":
        return json.dumps(in_value(json.loads(text), how, where, value)).encode("utf-8", "surrogatepass")
    if suffix == ".jsonl":
        lines = text.splitlines()
        at = int(other * len(lines))
        lines[at] = json.dumps(in_value(json.loads(lines[at]), how, where, value))
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    delimiter = "\t" if suffix in (".tsv", ".conll") else ","
    table = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    row = table[int(other * len(table))]
    at = int(where * len(row))
    if row[at][:1] in ("[", "{"):
        row[at] = json.dumps(in_value(json.loads(row[at]), how, other, value))
    else:
        row[at] = value if isinstance(value, str) else json.dumps(value)
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(table)
    return out.getvalue().encode("utf-8", "surrogatepass")


def in_value(whole: Any, how: str, where: float, value: Any) -> Any:
    places = list(places_of(whole))
    holder, key = places[int(where * len(places))]
    if how == "drop":
        del holder[key]
    elif how == "nest":
        holder[key] = [{"value": holder[key]}, holder[key]]
    else:
        holder[key] = value
    return whole


def places_of(value: Any):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield value, key
        yield from places_of(inner)


def shown_in(path: Path, name: str) -> dict[str, dict[str, Any]]:
    table = open_labels(path, name, contents=True)
    assert isinstance(table, ExportTable)
    return table.contents


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
def test_a_damaged_export_is_read_or_refused(name, tmp_path):
    good = [(path.suffix, path.read_bytes()) for path in sorted(GOLDEN.glob(f"{name}.*"))]
    happened = {"read": 0, "refused": 0, "written": 0}

    @settings(max_examples=FILES)
    @given(st.sampled_from(good), CHANGES, st.booleans())
    def run(file, changes, is_named):
        suffix, content = file
        for change in changes:
            content = changed(content, change, suffix)
        path, out = tmp_path / f"damaged{suffix}", tmp_path / "out"
        path.write_bytes(content)
        try:
            labels = read(path, format=name if is_named else None)
            happened["read"] += 1
            if labels.kind == "tags":
                read_sentences(path, format=name if is_named else None)
            write(labels, out, format=name, contents=shown_in(path, name) if labels.kind == "tags" else None)
            happened["written"] += 1
            out.unlink()
        except ManyhandsError:
            happened["refused"] += 1
        assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name]
        path.unlink()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run()
    print(name, happened)
    assert min(happened.values()) > FILES // 100  # both ends of it were reached
