"""JSON of any length, one object at a time: an array of objects, one object, or objects one after another.

Only the object that is being read is in memory. The standard decoder does the work; what is left is to
tell an object that goes on in the next block from one that is damaged.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import FormatError
from .source import Source

__all__ = ["JsonObject", "json_objects"]

BLOCK = 1 << 18
LONGEST = 1 << 28  # characters of one object
MARGIN = 16  # a word or an escape that is cut in two is told so near the end
_BLANK = re.compile(r"[ \t\r\n]*")
_decoder = json.JSONDecoder()


class JsonObject(NamedTuple):
    """number: which one it is, from 1. line: where it begins."""

    number: int
    line: int
    value: dict[str, Any]


def json_objects(source: Source) -> Iterator[JsonObject]:
    """The objects of a file, in order."""
    text = _Text(source)
    if text.peek() == "[":
        text.skip(1)
        yield from _array(text)
        if text.peek():
            raise text.fault("more text follows the end of the array: take it out")
        return
    number = 0
    while text.peek():
        number += 1
        yield JsonObject(number, text.line, text.object(number))


def _array(text: _Text) -> Iterator[JsonObject]:
    if text.peek() == "]":
        text.skip(1)
        return
    number = 0
    while True:
        number += 1
        text.peek()
        line = text.line
        yield JsonObject(number, line, text.object(number))
        mark = text.peek()
        if mark not in (",", "]"):
            found = "the file ends" if not mark else f"{mark!r} follows"
            raise text.fault(f"{found} after record {number} where ',' or ']' should: is the file cut off?")
        text.skip(1)
        if mark == "]":
            return


class _Text:
    """The text that was read and not yet used, and the line where it begins."""

    def __init__(self, source: Source):
        self.path, self.line = source.path, 1
        self._blocks = self._decoded(source)
        self._buffer, self._at, self._ended = "", 0, False

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            end = _BLANK.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            self.line += self._buffer.count("\n", self._at, end)
            self._at = end
            if end < len(self._buffer) or not self._more():
                return self._buffer[end : end + 1]

    def skip(self, length: int) -> None:
        self.line += self._buffer.count("\n", self._at, self._at + length)
        self._at += length

    def object(self, number: int) -> dict[str, Any]:
        """The object that begins here."""
        if self.peek() != "{":
            raise self.fault(f"record {number} begins with {self._shown()}, and is not an object {{...}}")
        while True:
            try:
                value, end = _decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                place = error.pos - self._at
                if not self._goes_on(error) or not self._more():
                    broken = _broken(number, error, place, self._ended)
                    raise self.fault(broken, self._at + place) from None
            except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
                raise self.fault(f"record {number} is not JSON that can be read: {error}") from None
            else:
                self._refuse_halves(number, end)
                self.skip(end - self._at)
                return value

    def fault(self, message: str, at: int | None = None) -> FormatError:
        """What is wrong, with the line of a place in the buffer (by default the next)."""
        line = self.line + (self._buffer.count("\n", self._at, at) if at is not None else 0)
        return FormatError(message, self.path, line)

    def _goes_on(self, error: json.JSONDecodeError) -> bool:
        near = error.pos >= len(self._buffer) - MARGIN or error.msg.startswith("Unterminated string")
        return near and len(self._buffer) - self._at < LONGEST

    def _more(self) -> bool:
        """One block more, twice as long each time, so that long objects are tried seldom."""
        wanted = max(BLOCK, len(self._buffer) - self._at)
        pieces, length = [self._buffer[self._at :]], 0
        while length < wanted and not self._ended:
            piece = next(self._blocks, None)
            self._ended = piece is None
            pieces.append(piece or "")
            length += len(pieces[-1])
        self._buffer, self._at = "".join(pieces), 0
        return length > 0

    def _decoded(self, source: Source) -> Iterator[str]:
        decoder, line = codecs.getincrementaldecoder("utf-8")(), 1
        for raw in source.pieces(BLOCK):
            try:
                yield decoder.decode(raw)
            except UnicodeDecodeError as error:
                line += raw.count(b"\n", 0, error.start)
                raise FormatError(
                    f"byte 0x{error.object[error.start]:02x} is not UTF-8: save the file as UTF-8",
                    source.path,
                    line,
                ) from None
            line += raw.count(b"\n")
        if decoder.getstate()[0]:
            raise FormatError("the last character is cut off: get the file again", source.path, line)

    def _refuse_halves(self, number: int, end: int) -> None:
        """Half of a surrogate pair is no character, and can be written nowhere."""
        raw = self._buffer[self._at : end]
        if "\\ud" not in raw and "\\uD" not in raw:
            return
        try:
            json.dumps(json.loads(raw), ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise self.fault(
                f"record {number} holds half of a surrogate pair (\\ud...), which is no character"
            ) from None

    def _shown(self) -> str:
        return repr(self._buffer[self._at : self._at + 20])


def _broken(number: int, error: json.JSONDecodeError, place: int, ended: bool) -> str:
    cut = ended and (error.pos >= len(error.doc.rstrip()) - 1 or error.msg.startswith("Unterminated"))
    if cut:
        return f"record {number} is cut off: get the file again"
    return f"record {number} is not JSON ({error.msg} at its character {place + 1})"
