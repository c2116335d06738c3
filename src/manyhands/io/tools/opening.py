"""Which tool a file is of: named, or recognised by its first record."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from ...errors import ParameterError
from ..formats import BOM, GZIP, known_suffix
from ..roles import given_columns
from ..tables import Table, open_table
from .fields import Field, Origin
from .items import Wanted
from .records import Records, Sample, open_export
from .registry import TOOLS, named_for, recognised, tool
from .table import ExportTable
from .tool import Tool

__all__ = ["open_labels"]

HEAD = 1 << 16
OTHER_SUFFIXES = (".json",)


def open_labels(
    path: str | Path,
    format: str | None = None,
    delimiter: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    kind: str | None = None,
    contents: bool = False,
) -> Table:
    """A table of labels, or the export of a tool as one.

    format: a tool, or csv, tsv, parquet or jsonl for a plain table; found out by default.
    """
    place = Path(path)
    found = tool(format) if format in TOOLS else _found(place) if format is None else None
    if found is None:
        return open_table(path, format, delimiter)
    files = _files(place)
    exports = [found.opens(file, delimiter) for file in files]
    _refuse_delimiter(exports, delimiter, place)
    return ExportTable(place, found, exports, _wanted(columns, contents, found), kind)


def _wanted(columns: Mapping[str, str] | str | None, contents: bool, found: Tool) -> Wanted:
    if "tokens" not in found.keeps:
        given = given_columns(columns)
        return Wanted(given.get("task"), given.get("annotator"), given.get("label"), contents)
    if columns is None or (isinstance(columns, str) and "=" not in columns):
        order = () if columns is None else tuple(name.strip() for name in columns.split(","))
        return Wanted(contents=contents, order=order)
    raise ParameterError(
        f"columns={columns!r}: name the columns of {found.name} in their order, as in columns='token,ann,bob,truth'; "
        f"_ leaves one out"
    )


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    return sorted(p for p in place.iterdir() if p.is_file() and not p.name.startswith((".", "_")))


def _refuse_delimiter(exports: list[Records], delimiter: str | None, place: Path) -> None:
    if delimiter is not None and any(export.header is None for export in exports):
        raise ParameterError(f"delimiter={delimiter!r} goes with csv, but {place} is JSON")


def _found(place: Path) -> Tool | None:
    """The tool that a file, or the first of a folder, looks like; None where it is a plain table."""
    try:
        files = _files(place)
        named = named_for(files[0]) if files else None
        sample = _sample(files[0]) if files and named is None else None
    except (OSError, EOFError, zlib.error, ValueError, RecursionError, csv.Error):
        return None  # the reader of plain tables says what is wrong with it
    if named is not None:
        return tool(named)
    return None if sample is None else recognised(sample)


def _sample(path: Path) -> Sample | None:
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    if inner.suffix.lower() in OTHER_SUFFIXES:
        return open_export(path).sample()
    if known_suffix(path) in (None, "parquet"):
        return None
    with open(path, "rb") as handle:
        is_zipped = handle.read(2) == GZIP
    with gzip.open(path) if is_zipped else open(path, "rb") as content:
        start = content.read(HEAD).removeprefix(BOM)
    if start.lstrip()[:1] == b"{":
        first = json.loads(start.lstrip().split(b"\n", 1)[0] if b"\n" in start else start)
        return Sample(frozenset(first), Field(Origin(path, 1, 1), first), False)
    lines = start.decode("utf-8", "ignore").splitlines(keepends=True)
    commas, tabs = (next(csv.reader(lines, delimiter=mark), []) for mark in (",", "\t"))
    return Sample(frozenset(commas if len(commas) > len(tabs) else tabs), None, True)
