"""What a table of a paper is: cells, each a system on some data, run once a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Cell", "Run", "Share", "Table"]

# seed, quick -> metrics. Quick: a run that shows that it works, in seconds; its figures are kept apart.
Run = Callable[[int, bool], Mapping[str, float]]


class Cell(NamedTuple):
    """One system on some data; paper: the figures printed there, by metric, on the scale of ours."""

    data: str
    system: str
    run: Run
    paper: Mapping[str, float] = {}
    seeds: int = 20


class Share(NamedTuple):
    """A metric as the share of what there is to win between two systems: (system - low) / (high - low)."""

    metric: str
    low: str = "majority"
    high: str = "truth"


class Table(NamedTuple):
    """name: of its files. shows: the metrics that its page has, in order. differs: from the paper, and why."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    shows: tuple[str, ...]
    differs: str
    share: Share | None = None
