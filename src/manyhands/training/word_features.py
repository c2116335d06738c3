"""Words as a classical tagger sees them: itself, its beginning and end, the shape of its letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["PER_WORD", "word_features"]

PER_WORD = 5
SHAPES = ((re.compile(r"[A-Z]+"), "^"), (re.compile(r"[a-z]+"), "_"), (re.compile(r"[0-9]+"), "#"))


def word_features(words: Sequence[Any]) -> list[str]:
    """`PER_WORD` features of every word, one word after the other.

    >>> word_features(["McNab's"])
    ["word=mcnab's", 'begins=mcn', "ends=b's", "ends='s", "shape=^_^_'_"]
    """
    return [feature for word in words for feature in _features(str(word))]


def _features(word: str) -> tuple[str, ...]:
    low, shape = word.lower(), word
    for letters, sign in SHAPES:
        shape = letters.sub(sign, shape)
    return f"word={low}", f"begins={low[:3]}", f"ends={low[-3:]}", f"ends={low[-2:]}", f"shape={shape}"
