"""How good against how busy: each annotator with an interval, or, of very many, a map of how many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..extra import needed
from ..numbers.annotator_list import AnnotatorList
from ..numbers.words import number, percent
from .chart import Chart, Key, finished

__all__ = ["COLOURS", "volume_chart"]

MOST = 1500  # annotators drawn one by one
BINS = 36
COLOURS = ("var(--above)", "var(--like)", "var(--below)", "var(--unsure)", "var(--unsure)")
SHAPES = ("triangle-up", "circle", "triangle-down", "circle", "circle")


def volume_chart(people: AnnotatorList) -> Chart | None:
    """Accuracy (of numbers: bias) against labels; None where nobody said anything."""
    told = [j for j, n in enumerate(people.column("n")) if n and people.column(people.main)[j] is not None]
    if not told:
        return None
    one_by_one = len(told) <= MOST
    marks = _each(people, told) if one_by_one else _many(people, told)
    title = f"{people.main.capitalize()} against number of labels"
    keys = _keys(people, told) if one_by_one else (Key("the darker, the more annotators", "var(--accent)", "box"),)
    says = f"{title} of {number(len(told))} annotators: {_words(people, told)}"
    return finished("volume", title, says, marks + _crowd_line(people), (*keys, Key(_crowd_word(people), "var(--ink)", "dash")), 320)


def _axes(people: AnnotatorList) -> tuple[Any, Any]:
    alt = needed("altair")
    share = people.main == "accuracy"
    y = alt.Y("y:Q", title=people.main, axis=alt.Axis(format="%" if share else "~g", tickCount=6))
    x = alt.X("n:Q", title="labels given (each step ten times as many)", scale=alt.Scale(type="log", nice=False),
              axis=alt.Axis(format="~s", tickCount=5))  # fmt: skip
    return x, y.scale(domain=[0, 1]) if share else y.scale(zero=False)


def _each(people: AnnotatorList, told: list[int]) -> Any:
    alt = needed("altair")
    n, main = people.column("n"), people.column(people.main)
    rows = [
        {"name": people.names[j], "n": n[j], "y": main[j], "low": people.low[j], "high": people.high[j],
         "standing": people.standings[people.standing[j]]}
        for j in told
    ]  # fmt: skip
    x, y = _axes(people)
    words = list(people.standings)
    colour = alt.Color("standing:N", scale=alt.Scale(domain=words, range=list(COLOURS)), legend=None)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    bars = base.mark_rule(strokeWidth=1, opacity=0.35).encode(y=alt.Y("low:Q"), y2="high:Q")
    points = base.mark_point(filled=True, size=46, opacity=0.9).encode(
        y=y, shape=alt.Shape("standing:N", scale=alt.Scale(domain=words, range=list(SHAPES)), legend=None),
        tooltip=["name:N", "n:Q", alt.Tooltip("y:Q", title=people.main), "low:Q", "high:Q", "standing:N"],
    )  # fmt: skip
    return alt.layer(bars, points)


def _many(people: AnnotatorList, told: list[int]) -> Any:
    """Counts on a grid, so that ten thousand cost what a thousand do."""
    alt = needed("altair")
    n = np.array([people.column("n")[j] for j in told], dtype=float)
    y = np.array([people.column(people.main)[j] for j in told], dtype=float)
    end = math.log10(n.max()) + 1e-9
    across = np.linspace(math.log10(n.min()) - 0.01, end + 0.01, BINS + 1)
    bounds = (0.0, 1.0) if people.main == "accuracy" else tuple(np.quantile(y, [0.005, 0.995]))
    up = np.linspace(*bounds, BINS + 1)
    counts, _, _ = np.histogram2d(np.log10(n), np.clip(y, *bounds), bins=(across, up))
    rows = [
        {"n": round(10 ** across[a], 3), "n2": round(10 ** across[a + 1], 3), "y": round(up[b], 4),
         "y2": round(up[b + 1], 4), "count": int(counts[a, b])}
        for a, b in zip(*(part.tolist() for part in np.nonzero(counts)), strict=True)
    ]  # fmt: skip
    x_axis, y_axis = _axes(people)
    shade = alt.Opacity("count:Q", scale=alt.Scale(type="sqrt", range=[0.12, 1]), legend=None)
    return alt.Chart(alt.Data(values=rows)).mark_rect().encode(
        x=x_axis, x2="n2:Q", y=y_axis, y2="y2:Q", opacity=shade, tooltip=["count:Q", "n:Q", "y:Q"],
    )  # fmt: skip


def _crowd_line(people: AnnotatorList) -> Any:
    alt = needed("altair")
    rows = alt.Data(values=[{"y": people.crowd}])
    return alt.Chart(rows).mark_rule(strokeDash=[5, 4], strokeWidth=1.2, color="var(--ink)").encode(y="y:Q")


def _crowd_word(people: AnnotatorList) -> str:
    return "no bias" if people.main == "bias" else f"the crowd: {percent(people.crowd)} of all labels"


def _keys(people: AnnotatorList, told: list[int]) -> tuple[Key, ...]:
    there = {people.standing[j] for j in told}
    return tuple(Key(word, COLOURS[code], SHAPES[code]) for code, word in enumerate(people.standings) if code in there)


def _words(people: AnnotatorList, told: list[int]) -> str:
    counts = [sum(people.standing[j] == code for j in told) for code in range(len(people.standings))]
    said = [f"{number(count)} {word}" for word, count in zip(people.standings, counts, strict=True) if count]
    return ", ".join(said) + ". The table below has the same."
