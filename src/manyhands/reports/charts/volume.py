"""How good against how busy: each annotator with an interval, or, of very many, a map of how many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..extra import needed
from ..numbers.annotator_list import AnnotatorList
from ..numbers.words import number, percent
from .chart import Chart, Key, finished
from .volume_axes import all_alike, axes, bounds

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
    by_place = one_by_one and all_alike(people)
    marks = _each(people, told, by_place) if one_by_one else _many(people, told)
    title = people.main.capitalize() + (" of each" if by_place else " against number of labels")
    keys = (
        _keys(people, told)
        if one_by_one
        else (Key("the darker, the more annotators", "var(--accent)", "box"),)
    )
    says = f"{title} of {number(len(told))} annotators: {_words(people, told)}"
    return finished(
        "volume",
        title,
        says,
        marks + _crowd_line(people),
        (*keys, Key(_crowd_word(people), "var(--ink)", "dash")),
        320,
    )


def _each(people: AnnotatorList, told: list[int], by_place: bool) -> Any:
    alt = needed("altair")
    n, main = people.column("n"), people.column(people.main)
    place = {j: rank for rank, j in enumerate(sorted(told, key=lambda j: main[j]))}  # type: ignore[arg-type, return-value]
    rows = [
        {"name": people.names[j], "n": n[j], "place": place[j], "y": main[j], "low": people.low[j], "high": people.high[j],
         "standing": people.standings[people.standing[j]]}
        for j in told
    ]  # fmt: skip
    x, y = axes(people, by_place)
    words = list(people.standings)
    colour = alt.Color("standing:N", scale=alt.Scale(domain=words, range=list(COLOURS)), legend=None)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    bars = base.mark_rule(strokeWidth=1, opacity=0.35, clip=True).encode(y=alt.Y("low:Q"), y2="high:Q")
    points = base.mark_point(filled=True, size=46, opacity=0.9, clip=True).encode(
        y=y, shape=alt.Shape("standing:N", scale=alt.Scale(domain=words, range=list(SHAPES)), legend=None),
        tooltip=["name:N", "n:Q", alt.Tooltip("y:Q", title=people.main), "low:Q", "high:Q", "standing:N"],
    )  # fmt: skip
    return alt.layer(bars, points)


def _many(people: AnnotatorList, told: list[int]) -> Any:
    """Counts on a grid, so that ten thousand cost what a thousand do."""
    alt = needed("altair")
    n, y = (np.array(people.column(key), dtype=float)[told] for key in ("n", people.main))
    low, high = bounds(people)
    across = np.linspace(math.log10(n.min()) - 0.01, math.log10(n.max()) + 0.01, BINS + 1)
    up = np.linspace(low, high, BINS + 1)
    counts, _, _ = np.histogram2d(np.log10(n), np.clip(y, low, high), bins=[across, up])
    rows = [
        {"n": round(10 ** across[a], 3), "n2": round(10 ** across[a + 1], 3), "y": round(up[b], 4),
         "y2": round(up[b + 1], 4), "count": int(counts[a, b])}
        for a, b in zip(*(part.tolist() for part in np.nonzero(counts)), strict=True)
    ]  # fmt: skip
    x_axis, y_axis = axes(people, by_place=False)
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
    return tuple(
        Key(word, COLOURS[code], SHAPES[code]) for code, word in enumerate(people.standings) if code in there
    )


def _words(people: AnnotatorList, told: list[int]) -> str:
    counts = [sum(people.standing[j] == code for j in told) for code in range(len(people.standings))]
    said = [f"{number(count)} {word}" for word, count in zip(people.standings, counts, strict=True) if count]
    return ", ".join(said) + ". The table below has the same."
