"""One quick look at the bytes of a csv file: may the quick reader be trusted with it?

polars fills short rows up in silence, drops what is too much where it reads some columns only,
makes rows of blank lines, lets NUL bytes through and has its own idea of a quote inside a field.
Looking at where the ends, delimiters and quotes are finds all of these at the speed of memory;
what is found is left to the careful reader.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .source import Source

__all__ = ["Survey", "survey"]

END, RETURN, QUOTE = 10, 13, 34


class Survey(NamedTuple):
    """How many rows follow the header, and whether any field is quoted."""

    rows: int
    quoted: bool


def survey(source: Source, delimiter: str, width: int) -> Survey | None:
    """Look once through the file; None where anything is odd."""
    mark = ord(delimiter)
    records, quotes, carried, blank = 0, 0, 0, False
    for block in source.blocks():
        body = block.rstrip(b"\r\n")
        if blank or _is_odd(block, body):
            return None
        blank = block.count(b"\n", len(body)) > 1  # blank lines are odd unless the file ends in them
        flat = np.frombuffer(body + b"\n", dtype=np.uint8)
        ends, marks = np.flatnonzero(flat == END), np.flatnonzero(flat == mark)
        if quotes % 2 or b'"' in body:
            places = np.flatnonzero(flat == QUOTE)
            if not _are_plain(flat, places, quotes % 2, mark):
                return None
            ends, marks = (at[(np.searchsorted(places, at) + quotes) % 2 == 0] for at in (ends, marks))
            quotes += len(places)
        # How many delimiters stand before each end; a record may have begun in an earlier block.
        before = np.searchsorted(marks, ends)
        if (np.diff(before, prepend=-carried) != width - 1).any():
            return None
        carried = len(marks) - (int(before[-1]) if len(before) else -carried)
        records += len(ends)
    return None if quotes % 2 or carried else Survey(records - 1, quotes > 0)


def _is_odd(block: bytes, body: bytes) -> bool:
    lone_return = b"\r" in block and block.count(b"\r") != block.count(b"\r\n")
    blank_line = body.startswith((b"\r", b"\n")) or b"\n\n" in body or b"\n\r\n" in body
    return lone_return or blank_line or not body or b"\0" in body


def _are_plain(flat: np.ndarray, places: np.ndarray, inside: int, mark: int) -> bool:
    """Whether quotes open and close fields in turn, and none stands for itself.

    inside: 1 where the block begins inside a quoted field.
    """
    opening, closing = places[inside::2], places[1 - inside :: 2]
    starts = flat[opening[opening > 0] - 1]
    follows = flat[closing + 1]  # a block ends in an end, so something follows
    return bool(
        ((starts == mark) | (starts == END)).all()
        and ((follows == mark) | (follows == END) | (follows == RETURN)).all()
    )
