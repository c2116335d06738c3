"""The map of the annotators, once for every colouring."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..extra import needed
from ..numbers.annotator_map import AnnotatorMap, Colouring
from ..numbers.words import number, percent
from .chart import Chart, Key, finished

__all__ = ["map_charts"]

STEPS = (0.2, 0.4, 0.6, 0.8)
RAMP = tuple(f"var(--q{n})" for n in range(1, 6))
NAMED = ("var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)")
SHAPES = ("circle", "square", "triangle-up", "diamond")


def map_charts(found: AnnotatorMap | None) -> tuple[Chart, ...]:
    """Left to right as in LIA's Figure 2: by mistakes, where all answered all, then by rates."""
    if found is None:
        return ()
    return tuple(_chart(found, colouring, place) for place, colouring in enumerate(found.colourings))


def _chart(found: AnnotatorMap, colouring: Colouring, place: int) -> Chart:
    alt = needed("altair")
    rows = [
        {"x": x, "y": y, "name": name, "labels": n, "value": value}
        for (x, y), name, n, value in zip(
            found.places, found.names, found.labels, colouring.values, strict=True
        )
    ]
    bare = alt.Axis(labels=False, ticks=False, grid=False, domain=False, title=None)
    encoding, keys = _named(colouring) if isinstance(colouring.values[0], str) else _ramp()
    points = alt.Chart(alt.Data(values=rows)).mark_point(filled=True, size=52, opacity=0.95, stroke="var(--muted)",
                                                         strokeWidth=0.5).encode(
        x=alt.X("x:Q", axis=bare), y=alt.Y("y:Q", axis=bare), **encoding,
        tooltip=["name:N", "labels:Q", alt.Tooltip("value", type="nominal", title=colouring.title)],
    )  # fmt: skip
    says = (
        f"Map of {number(len(rows))} annotators, coloured by {colouring.title}. Two dimensions keep "
        f"{percent(found.kept)} of what the model learnt of them."
    )
    return finished(f"map-{place}", f"by {colouring.title}", says, points, keys, 280)


def _named(colouring: Colouring) -> tuple[dict[str, Any], tuple[Key, ...]]:
    alt = needed("altair")
    words = sorted({str(value) for value in colouring.values})
    colours, shapes = NAMED[: len(words)], SHAPES[: len(words)]
    encoding = {
        "fill": alt.Fill("value:N", scale=alt.Scale(domain=words, range=list(colours)), legend=None),
        "shape": alt.Shape("value:N", scale=alt.Scale(domain=words, range=list(shapes)), legend=None),
    }
    return encoding, tuple(Key(*row) for row in zip(words, colours, shapes, strict=True))


def _ramp() -> tuple[dict[str, Any], tuple[Key, ...]]:
    alt = needed("altair")
    scale = alt.Scale(type="threshold", domain=list(STEPS), range=list(RAMP))
    bounds = (0.0, *STEPS, 1.0)
    words = [f"{percent(a)} to {percent(b)}" for a, b in pairwise(bounds)]
    return {"fill": alt.Fill("value:Q", scale=scale, legend=None)}, tuple(
        Key(word, colour) for word, colour in zip(words, RAMP, strict=True)
    )
