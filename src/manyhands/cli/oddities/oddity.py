"""One thing that is odd."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

__all__ = ["Oddity", "odd"]

SHOWN = 5
LONGEST = 90


@dataclass(frozen=True)
class Oddity:
    """What is odd, how often, examples, and what to do about it."""

    name: str
    says: str
    count: int
    examples: tuple[str, ...]
    cure: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def odd(name: str, says: str, count: int, examples: Iterable[Any], cure: str) -> list[Oddity]:
    """The oddity, or nothing where nothing was found."""
    shown = tuple(_short(str(example)) for example in islice(examples, SHOWN))
    return [Oddity(name, says, int(count), shown, cure)] if count else []


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
