"""What a task shows as words: tokens as they are given, or a text that is cut into words and single signs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import UnsupportedError

__all__ = ["Words", "text_of", "tokens_of", "words_of"]

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Words(NamedTuple):
    """A text and where its tokens begin and end."""

    text: str
    places: list[tuple[int, int]]

    @property
    def tokens(self) -> list[str]:
        """The tokens themselves."""
        return [self.text[start:end] for start, end in self.places]


def tokens_of(text: str) -> list[tuple[int, int]]:
    """Where words and single signs begin and end.

    >>> tokens_of("Ann, hi")
    [(0, 3), (3, 4), (5, 7)]
    """
    return [found.span() for found in _TOKEN.finditer(text)]


def words_of(data: Mapping[str, Any], task: str) -> Words:
    """The words of a task: the field `tokens`, found in its text where there is one; else its text, cut.

    >>> words_of({"tokens": ["U.S.", "won"]}, "t")
    Words(text='U.S. won', places=[(0, 4), (5, 8)])
    >>> words_of({"tokens": ["U.S.", "won"], "text": "  U.S. won!"}, "t").places
    [(2, 6), (7, 10)]
    >>> words_of({"text": "Ann, hi"}, "t").tokens
    ['Ann', ',', 'hi']
    """
    given = data.get("tokens")
    if isinstance(given, list) and all(isinstance(token, str) for token in given):
        text = data.get("text")
        found = _found(given, text) if isinstance(text, str) else None
        return Words(" ".join(given), _joined(given)) if found is None else Words(str(text), found)
    text = text_of(data, task)
    return Words(text, tokens_of(text))


def text_of(data: Mapping[str, Any], task: str) -> str:
    """The text of a task: the field `text`, or the only one that is text."""
    if isinstance(data.get("text"), str):
        return str(data["text"])
    texts = [value for value in data.values() if isinstance(value, str)]
    if len(texts) != 1:
        raise UnsupportedError(
            f"task {task!r} has {len(texts)} fields of text and none named 'text': spans can be written only where "
            f"the text of each task is known; convert from a file that has them, or give contents="
        )
    return texts[0]


def _found(tokens: list[str], text: str) -> list[tuple[int, int]] | None:
    """Each token after the one before; None where one is not there."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0:
            return None
        end = start + len(token)
        places.append((start, end))
    return places


def _joined(tokens: list[str]) -> list[tuple[int, int]]:
    places, start = [], 0
    for token in tokens:
        places.append((start, start + len(token)))
        start += len(token) + 1
    return places
