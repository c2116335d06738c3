"""csv the careful way: one record at a time, with the line where it begins.

This pass is slow and says what is wrong; `delimited` takes it only where the quick one stumbles.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import FormatError
from .source import Source

__all__ = ["Record", "line_of", "records", "text_lines", "whole_records"]

LONGEST = 1 << 28  # bytes of a field

Record = tuple[int, list[str]]


def records(source: Source, delimiter: str) -> Iterator[Record]:
    """The line and the fields of every record that is not blank, the header first."""
    reader = csv.reader(text_lines(source), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            with _long_fields():
                fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(_quote_fault(str(error)), source.path, line) from None
        if fields:
            yield line, fields


def whole_records(source: Source, delimiter: str, width: int) -> Iterator[Record]:
    """The records after the header, each of which must have as many fields as the header."""
    found = records(source, delimiter)
    next(found, None)
    current = next(found, None)
    while current is not None:
        following = next(found, None)
        line, fields = current
        if len(fields) != width:
            message = _ragged(fields, width, last=following is None)
            raise FormatError(message, source.path, line)
        yield current
        current = following


def line_of(source: Source, delimiter: str, row: int) -> int | None:
    """The line where a row of the table begins, rows being counted from 0 after the header."""
    for place, (line, _) in enumerate(records(source, delimiter)):
        if place == row + 1:
            return line
    return None


def text_lines(source: Source) -> Iterator[str]:
    """Every line of a file that must be UTF-8 text, with its end."""
    number = 0
    for raw in source.lines():
        for piece in raw.splitlines(keepends=True):  # the ends of old Macs are ends too
            number += 1
            if b"\0" in piece:
                raise FormatError(
                    f"byte {piece.index(0) + 1} of the line is NUL, which no text has: the file is damaged, "
                    f"binary or UTF-16; export it as UTF-8 text",
                    source.path,
                    number,
                )
            try:
                yield piece.decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"byte {error.start + 1} of the line (0x{piece[error.start]:02x}) is not UTF-8: save the "
                    f"file as UTF-8, if it is from Windows by iconv -f cp1252 -t utf-8",
                    source.path,
                    number,
                ) from None


@contextmanager
def _long_fields() -> Iterator[None]:
    """For one record: the csv module's own limit of 128 KB a field, which all of Python shares, is too low for texts."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _quote_fault(reason: str) -> str:
    if "field limit" in reason:
        return (
            f"a field is longer than {LONGEST >> 20} MB: either a quote is opened here and never closed, or so long a "
            f"text belongs into parquet or jsonl"
        )
    if "expected after" in reason:
        return 'a closing quote is followed by more text: write a quote inside a field twice ("")'
    if "unexpected end" in reason:
        return "a quote is opened here and never closed; the file may be cut off: close it or get it again"
    return f"this is not csv: {reason}"


def _ragged(fields: list[str], width: int, last: bool) -> str:
    count = f"{len(fields)} field{'s' if len(fields) != 1 else ''} where the header has {width}"
    if len(fields) > width:
        return f"{count}: quote a field that holds the delimiter, or take out what is too much"
    if last:
        return f"{count}, and it is the last: the file looks cut off; get it again or take the line out"
    return f"{count}: fill the row up (an empty field needs its delimiter too) or take it out"
