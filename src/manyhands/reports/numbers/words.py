"""Names and figures as people read them."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["CANNOT_SAY", "answer", "listed", "name_of", "number", "percent", "signed"]

CANNOT_SAY = "(cannot say)"
LONGEST = 120


def name_of(value: Any) -> str:
    """A task, an annotator or a class as text; very long names are cut, and None is an abstention.

    >>> name_of(7), name_of(None), name_of(("a", 1))
    ('7', '(cannot say)', "('a', 1)")
    """
    if value is None:
        return CANNOT_SAY
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return ", ".join(value) or "(none)"
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def percent(share: float | None, digits: int = 0) -> str:
    """A share as a percentage.

    >>> percent(0.256), percent(0.0004, 1), percent(0.998), percent(None)
    ('26%', '<0.1%', '>99%', '–')
    """
    if share is None or math.isnan(share):
        return "–"
    least = 10.0**-digits
    if 0 < share * 100 < least / 2:
        return f"<{least:.{digits}f}%"
    if 0 < (1 - share) * 100 < least / 2:
        return f">{100 - least:.{digits}f}%"
    return f"{share * 100:.{digits}f}%"


def number(value: float | None, digits: int | None = None) -> str:
    """A number with thin spaces between thousands; three significant digits unless told.

    >>> number(4567), number(0.12345), number(12.3456, 1), number(None)
    ('4567', '0.123', '12.3', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f") if abs(value) >= 10_000 else str(value)
    if digits is None:
        size = abs(value)
        digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}".replace(",", "\u202f").replace("-", "−")


def signed(value: float, digits: int | None = None) -> str:
    """A change: with its sign, also where it is a rise.

    >>> signed(3.2, 0), signed(-0.12345), signed(0.0, 0)
    ('+3', '−0.123', '0')
    """
    text = number(value, digits)
    if not text.strip("−0."):
        return text.lstrip("−")
    return text if value < 0 else f"+{text}"


def answer(value: float) -> str:
    """A number that somebody gave, without noughts that they did not write.

    >>> answer(0.5), answer(1234.5678), answer(-3.0)
    ('0.5', '1235', '−3')
    """
    return f"{value:.4g}".replace("-", "−")


def listed(names: list[str], most: int = 3) -> str:
    """Names in a sentence.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
