"""One quick look at the bytes of a csv file: may the quick reader be trusted with it?

polars fills short rows up in silence, drops what is too much where it reads some columns only,
makes rows of blank lines and lets NUL bytes through. Counting bytes finds all of these at the
speed of memory; what is found is left to the careful reader.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from .source import Source

__all__ = ["Survey", "survey"]


class Survey(NamedTuple):
    """What the bytes look like.

    shape: "even", all rows have all fields; "quoted", fields are quoted in the plain way, the
        fields of a row not counted; "odd", anything else.
    rows: how many rows there are after the header, where even.
    """

    shape: Literal["even", "quoted", "odd"]
    rows: int = 0


def survey(source: Source, delimiter: str, width: int) -> Survey:
    """Look once through the file."""
    mark = delimiter.encode()
    rows, blank, even, quotes, bounds = -1, False, True, 0, 0
    for block in source.blocks():
        if blank or _is_odd(block):
            return Survey("odd")
        found = block.count(b'"')
        quotes += found
        bounds += _quote_bounds(block, mark) if found else 0
        body = block.rstrip(b"\r\n")
        blank = block.count(b"\n", len(body)) > 1  # blank lines are odd unless the file ends in them
        even = even and not quotes and _is_even(body, mark, width)
        rows += body.count(b"\n") + 1 if body else 0
    if even:
        return Survey("even", rows)
    plain = quotes > 0 and quotes == bounds and not blank
    return Survey("quoted" if plain else "odd")


def _is_odd(block: bytes) -> bool:
    lone_return = b"\r" in block and block.count(b"\r") != block.count(b"\r\n")
    body = block.rstrip(b"\r\n")
    return lone_return or b"\0" in block or body.startswith((b"\r", b"\n")) or _has_blank_line(body)


def _has_blank_line(body: bytes) -> bool:
    return b"\n\n" in body or b"\n\r\n" in body


def _quote_bounds(block: bytes, mark: bytes) -> int:
    """How many quotes open or close a field; in the plain way, that is all of them."""
    opening = block.count(mark + b'"') + block.count(b'\n"') + block.startswith(b'"')
    closing = block.count(b'"' + mark) + block.count(b'"\n') + block.count(b'"\r') + block.endswith(b'"')
    return opening + closing


def _is_even(body: bytes, mark: bytes, width: int) -> bool:
    """Whether every line of an unquoted block has width - 1 delimiters."""
    if width == 1 or not body:
        return mark not in body
    flat = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(flat == 10)
    marks = np.flatnonzero(flat == mark[0])
    if len(marks) != (len(ends) + 1) * (width - 1):
        return False
    by_row = marks.reshape(-1, width - 1)
    return bool((by_row[:-1, -1] < ends).all() and (by_row[1:, 0] > ends).all())
