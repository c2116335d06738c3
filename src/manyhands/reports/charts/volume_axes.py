"""The axes of annotators: how many labels across, accuracy or bias up."""

from __future__ import annotations

import math
from typing import Any

from ..extra import needed
from ..numbers.annotator_list import AnnotatorList
from ..numbers.standing import FEWEST

__all__ = ["all_alike", "axes", "bounds"]

ALIKE, STEEP = 1.6, 8.0  # the busiest against the least busy, in labels
TICKS = [digit * 10**power for power in range(8) for digit in (1, 2, 5)]


def axes(people: AnnotatorList, by_place: bool) -> tuple[Any, Any]:
    """Across and up; by_place: across go the annotators, the lowest first, as all gave as many labels."""
    alt = needed("altair")
    share = people.main == "accuracy"
    y = alt.Y("y:Q", title=people.main, axis=alt.Axis(format="%" if share else "~g", tickCount=6))
    if by_place:
        x = alt.X(
            "place:Q",
            title=f"annotators, from the lowest {people.main} to the highest",
            axis=alt.Axis(labels=False, ticks=False, grid=False),
        )
    else:
        x = _volume(people)
    return x, y.scale(domain=list(bounds(people)), clamp=share)


def _volume(people: AnnotatorList) -> Any:
    """Labels on a logarithmic axis, or a plain one where the busiest gave but a few times as many."""
    alt = needed("altair")
    domain = _domain(people)
    if domain[1] / domain[0] < STEEP:
        scale = alt.Scale(type="linear", nice=False, zero=False, domain=domain)
        return alt.X(
            "n:Q", title="labels given", scale=scale, axis=alt.Axis(format="~s", tickCount=6, grid=False)
        )
    scale = alt.Scale(type="log", nice=False, domain=domain)
    axis = alt.Axis(format="~s", values=TICKS, grid=False, labelOverlap="parity")
    return alt.X("n:Q", title="labels given (logarithmic)", scale=scale, axis=axis)


def all_alike(people: AnnotatorList) -> bool:
    """Whether all gave about as many labels, so that there is nothing to set accuracy against."""
    low, high = _domain(people)
    return high / low < ALIKE


def bounds(people: AnnotatorList) -> tuple[float, float]:
    """Where the upward axis begins and ends."""
    return (_least(people), 1.0) if people.main == "accuracy" else _reach(people)


def _least(people: AnnotatorList) -> float:
    """Where the axis of accuracies begins: a tenth below everybody's interval."""
    ends = [low for low, n in zip(people.low, people.column("n"), strict=True) if n and low is not None]
    return math.floor(min(ends) * 10) / 10


def _reach(people: AnnotatorList) -> tuple[float, float]:
    """Of biases: as far as the intervals of those go who gave more than a handful."""
    rows = zip(people.low, people.high, people.column("n"), strict=True)
    ends = [abs(v) for low, high, n in rows for v in (low, high) if v is not None and int(n or 0) >= FEWEST]
    end = max(ends, default=1.0) * 1.05
    return -end, end


def _domain(people: AnnotatorList) -> list[float]:
    told = [int(n) for n in people.column("n") if n]
    return [min(told) / 1.15, max(told) * 1.15]
