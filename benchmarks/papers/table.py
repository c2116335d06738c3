"""What a table of a paper is: cells, each a system on some data, run once a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Cell", "Run", "Share", "Table"]

# seed, quick -> metrics. Quick: a run that shows that it works, in seconds; its figures are kept apart.
Run = Callable[[int, bool], Mapping[str, float]]


class Cell(NamedTuple):
    """One system on some data; paper: the figures printed there, by metric, on the scale of ours.

    together: how many seeds it trains side by side; they are run in a row.
    """

    data: str
    system: str
    run: Run
    paper: Mapping[str, float] = {}
    seeds: int = 20
    together: int = 1


class Share(NamedTuple):
    """A metric as the share of what there is to win between two systems: (system - low) / (high - low)."""

    metric: str
    low: str = "majority"
    high: str = "truth"


class Table(NamedTuple):
    """name: of its files. shows: the metrics that its page has, in order. differs: from the paper, and why.

    across: the metric of a table with a row for each data and a column for each system, where there
        are many data; the page has that alone, and the csv all.
    overall: a metric that all systems have on all data: mean, mean rank and share over the data come first.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    shows: tuple[str, ...]
    differs: str
    share: Share | None = None
    across: str = ""
    overall: str = ""
