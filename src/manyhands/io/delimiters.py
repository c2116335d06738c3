"""The header of a csv file, and whether it was split at the right character."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import FormatError, ParameterError
from .records import records
from .source import Source

__all__ = ["Header", "delimiter_for", "other_delimiter", "read_header"]

CANDIDATES = (",", ";", "\t", "|")
WORDS = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";"}


class Header(NamedTuple):
    """The names of the columns, and the delimiter that they would rather be split at, if any."""

    names: list[str]
    better: str | None


def delimiter_for(format_name: str, given: str | None) -> str:
    r"""The delimiter that is given, also as a shell can give it, or that of the format.

    >>> delimiter_for("tsv", None), delimiter_for("csv", "tab")
    ('\t', '\t')
    """
    if given is None:
        return "\t" if format_name == "tsv" else ","
    delimiter = WORDS.get(given, given)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise ParameterError(f"delimiter={given!r} must be one plain character, such as ',' ';' '|' or 'tab'")
    return delimiter


def read_header(source: Source, delimiter: str, sure: bool) -> Header:
    """The names in the first line; `sure`: the delimiter was given by the user."""
    line, names = next(records(source, delimiter), (1, []))
    if not names:
        raise FormatError("is empty: there is not even a header; get or export it again", source.path)
    if names[0].lower().startswith("sep="):
        raise FormatError(f"{names[0]!r} is a line for Excel only: take it out", source.path, line)
    better = None if sure else other_delimiter(names, delimiter)
    if len(names) == 1 and better is not None:
        raise FormatError(wrong_delimiter(names, better), source.path, line)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        places = [str(place + 1) for place, name in enumerate(names) if name == twice]
        raise FormatError(
            f"columns {' and '.join(places)} are both named {twice!r}: rename one of them", source.path, line
        )
    return Header(names, better)


def other_delimiter(names: list[str], delimiter: str) -> str | None:
    """The delimiter that would give the header more columns.

    >>> other_delimiter(["task;annotator;label"], ",")
    ';'
    """
    text = delimiter.join(names)
    counts = {c: text.count(c) + 1 for c in CANDIDATES if c != delimiter}
    best = max(counts, key=lambda c: counts[c], default=None)
    return best if best is not None and counts[best] > len(names) else None


def wrong_delimiter(names: list[str], better: str) -> str:
    """What to say of a header that was split at the wrong character."""
    shown = ", ".join(repr(name) for name in names)
    count = "one column" if len(names) == 1 else f"{len(names)} columns"
    said = "tab" if better == "\t" else better
    return (
        f"the header is {count} {shown[:200]}; it looks separated by {better!r}: "
        f"pass delimiter={better!r} (--delimiter '{said}')"
    )
