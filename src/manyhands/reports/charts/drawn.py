"""All charts of a report."""

from __future__ import annotations

from dataclasses import dataclass

from ..numbers.contents import Contents
from .chart import Chart
from .confidence import confidence_chart
from .curves import curve_charts
from .maps import map_charts
from .volume import volume_chart

__all__ = ["Charts", "charts"]


@dataclass(frozen=True)
class Charts:
    """By section; None or empty where there is nothing to draw."""

    confidence: Chart | None
    volume: Chart | None
    maps: tuple[Chart, ...]
    curves: tuple[Chart, ...]

    @property
    def every(self) -> tuple[Chart, ...]:
        """In the order of the page."""
        return (*(c for c in (self.confidence, self.volume) if c is not None), *self.maps, *self.curves)


def charts(found: Contents) -> Charts:
    """Draw them."""
    return Charts(
        confidence_chart(found),
        volume_chart(found.annotators),
        map_charts(found.map),
        curve_charts(found.progress),
    )
