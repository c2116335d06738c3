"""Which format a file is of: by its name, and whether its first bytes agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError, ParameterError

__all__ = ["FORMATS", "Format", "check_content", "check_gzip", "format_of", "known_suffix"]

FORMATS = ("csv", "tsv", "parquet", "jsonl")
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"

SUFFIXES = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip

# First bytes, what they are of, and what to do about it.
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PAR1", "a parquet file", "rename it to .parquet, or say format='parquet'"),
    (GZIP, "a gzip file", "add .gz to its name"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet (.xlsx)",
     "unpack it, or save the sheet as CSV (UTF-8) in the spreadsheet program"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet (.xls)", "save the sheet as CSV (UTF-8)"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8: iconv -f utf-16 -t utf-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8: iconv -f utf-16 -t utf-8"),
    (b"\x00\x00\xfe\xff", "UTF-32 text", "save it as UTF-8: iconv -f utf-32 -t utf-8"),
    (b"BZh", "a bzip2 file", "unpack it: bunzip2"),
    (b"\xfd7zXZ", "an xz file", "unpack it: unxz"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file", "unpack it: unzstd"),
    (b"7z\xbc\xaf", "a 7-zip archive", "unpack it"),
    (b"ARROW1", "an Arrow (feather) file", "convert it to parquet"),
    (b"ORC", "an ORC file", "convert it to parquet"),
    (b"SQLite format 3", "an SQLite database", "export the table as csv"),
    (b"\x93NUMPY", "a numpy array", "give a table with task, annotator and label"),
    (b"\x89HDF", "an HDF5 file", "export the table as csv or parquet"),
    (b"%PDF", "a PDF", "give a table"),
    (b"\x80\x04\x95", "a Python pickle", "save it as csv or parquet: pickles are never opened"),
    (b"\x80\x05\x95", "a Python pickle", "save it as csv or parquet: pickles are never opened"),
)  # fmt: skip


class Format(NamedTuple):
    """What a file is: its format, and whether it is gzipped."""

    name: str
    gzipped: bool = False

    @property
    def is_text(self) -> bool:
        """Whether all values are text, because the format has no types."""
        return self.name in ("csv", "tsv")


def format_of(path: Path, given: str | None = None, gzipped: bool | None = None) -> Format:
    """The format that the name promises, or the one that is given.

    >>> format_of(Path("votes.csv.gz")), format_of(Path("votes.dat"), "tsv")
    (Format(name='csv', gzipped=True), Format(name='tsv', gzipped=False))
    """
    zipped = path.suffix.lower() == ".gz" if gzipped is None else gzipped
    if given is not None:
        if given not in FORMATS:
            raise ParameterError(f"format={given!r} must be one of {', '.join(map(repr, FORMATS))}")
        return Format(given, zipped)
    name = known_suffix(path)
    if name is None:
        shown = path.suffix or "no suffix"
        raise FormatError(
            f"has {shown}, which says no format that can be read: the suffixes are "
            f"{', '.join(SUFFIXES)}, and .gz after those of text. Say which one it is with "
            f"format= (--from), such as format='csv', or format='label-studio' for what a labelling tool exported",
            path,
        )
    if name == "parquet" and zipped:
        raise FormatError("is parquet in gzip, which cannot be read: gunzip it (parquet packs itself)", path)
    return Format(name, zipped)


def known_suffix(path: Path) -> str | None:
    """The format that a file name says, .gz or not."""
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return SUFFIXES.get(inner.suffix.lower())


def check_gzip(path: Path, start: bytes, zipped: bool) -> None:
    """Refuse a .gz that is not gzip."""
    if zipped and start and not start.startswith(GZIP):
        raise FormatError(f"is named .gz but looks like {_describe(start)[0]}: take .gz off its name", path)


def check_content(path: Path, name: str, start: bytes) -> None:
    """Refuse a file that is not what its name says; `start` is its first bytes, inflated."""
    if not start:
        raise FormatError("is empty: there is not even a header; get or export it again", path)
    if name == "parquet":
        if not start.startswith(b"PAR1"):
            what, cure = _describe(start)
            raise FormatError(f"is not parquet: it looks like {what}; {cure}", path)
        return
    found = _foreign(start) or _other_text(start.removeprefix(BOM).lstrip(), name)
    if found is not None:
        raise FormatError(f"is not {name}: it looks like {found[0]}; {found[1]}", path, 1)


def _foreign(start: bytes) -> tuple[str, str] | None:
    return next(((what, cure) for magic, what, cure in MAGIC if start.startswith(magic)), None)


def _other_text(text: bytes, name: str) -> tuple[str, str] | None:
    if text[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return "a web page", "sign in where it comes from and download the file itself"
    if name == "json":  # an export of a tool: an array, an object, or one object after another
        return None
    if text.startswith(b"[") and (name == "jsonl" or _is_json(text)):
        cure = "write one object a line: jq -c '.[]' IN.json > OUT.jsonl"
        return "one JSON array", cure
    if name != "jsonl" and text.startswith(b"{") and _is_json(text):
        return "JSON lines", "rename it to .jsonl, or say format='jsonl'"
    return None


def _is_json(text: bytes) -> bool:
    line = text.split(b"\n", 1)[0].strip()
    if line in (b"[", b"{", b"[{"):
        return True
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith((b'{"', b"[{"))
    return True


def _describe(start: bytes) -> tuple[str, str]:
    """What some bytes look like, and the cure."""
    found = _foreign(start)
    if found is not None:
        return found
    if b"\0" in start:
        return "some other binary format", "convert it to csv or parquet"
    if start.lstrip()[:1] in (b"{", b"["):
        return "JSON", "rename it to .jsonl, or say format='jsonl'"
    return "text such as csv", "rename it to .csv, or say format='csv'"
