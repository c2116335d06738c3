"""A chart: made with altair, drawn by the page's own copy of its code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..extra import needed

__all__ = ["HEIGHT", "Chart", "Key", "chart_code", "finished"]

HEIGHT = 260
ELSEWHERE = re.compile(
    r"https://(?=(vega\.)?github\.)"
)  # of an editor and of messages, none of which is used
FONT = "ui-sans-serif, system-ui, sans-serif"


@dataclass(frozen=True)
class Key:
    """One entry of a legend, which the page writes itself: a colour of the page, a shape, a word."""

    word: str
    colour: str
    shape: str = "dot"


@dataclass(frozen=True)
class Chart:
    """name: of its place in the page. says: the same in words, for those who do not see it."""

    name: str
    caption: str
    says: str
    spec: dict[str, Any]
    keys: tuple[Key, ...] = ()


def finished(
    name: str, caption: str, says: str, chart: Any, keys: tuple[Key, ...] = (), height: int = HEIGHT
) -> Chart:
    """The chart as wide as its place, in the colours of the page; the page itself says what it shows."""
    sized = chart.properties(width="container", height=height, background="transparent").configure(**_looks())
    spec = sized.to_dict()
    return Chart(name, caption, says, {key: value for key, value in spec.items() if key != "$schema"}, keys)


def _looks() -> dict[str, Any]:
    """Colours are the page's variables, so that light and dark need no second drawing."""
    axis = {
        "labelColor": "var(--muted)", "titleColor": "var(--muted)", "gridColor": "var(--line)",
        "domainColor": "var(--rule)", "tickColor": "var(--rule)", "labelFont": FONT, "titleFont": FONT,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8,
        "labelOverlap": "greedy",
    }  # fmt: skip
    return {
        "axis": axis, "view": {"stroke": None}, "font": FONT, "aria": False,
        "bar": {"color": "var(--accent)"}, "line": {"color": "var(--accent)", "strokeWidth": 2},
        "point": {"color": "var(--accent)"}, "rect": {"color": "var(--accent)"}, "rule": {"color": "var(--accent)"},
        "text": {"color": "var(--ink)", "font": FONT},
    }  # fmt: skip


@lru_cache(maxsize=1)
def chart_code() -> str:
    """The code that draws, to be written into the page once; what it says of places elsewhere is cut short."""
    code = str(needed("vl_convert").javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    return ELSEWHERE.sub("", code)
