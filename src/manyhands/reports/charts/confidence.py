"""How sure the consensus is, as bars."""

from __future__ import annotations

from ..extra import needed
from ..numbers.contents import Contents
from ..numbers.words import number, percent
from .chart import Chart, finished

__all__ = ["confidence_chart"]


def confidence_chart(found: Contents) -> Chart | None:
    """Counts by confidence; of numbers, by standard deviation. None where there is nothing to count.

    >>> from manyhands import DawidSkene, simulate
    >>> from manyhands.reports.numbers.contents import contents
    >>> crowd = simulate("confusion", n_tasks=100, n_annotators=8, seed=0)
    >>> confidence_chart(contents(DawidSkene(shared=10.0).fit(crowd.labels).result_)).caption
    'How sure the consensus is'
    """
    alt = needed("altair")
    spread, numeric = found.certainty.spread, found.overview.kind == "number"
    if not sum(spread.counts):
        return None
    edges = spread.edges
    rows = [{"from": edges[n], "to": edges[n + 1], "count": count} for n, count in enumerate(spread.counts)]
    unit = {"task": "tasks", "token": "tokens"}.get(found.overview.unit, "labels of tasks")
    x = alt.X(
        "from:Q",
        bin="binned",
        title="standard deviation of the consensus" if numeric else "confidence",
        axis=alt.Axis(format="~g", tickCount=6, grid=False),
    )
    if not numeric:  # nothing can be below one in as many as there are classes
        first = next(n for n, count in enumerate(spread.counts) if count)
        x = x.scale(domain=[min(edges[first], 0.5), 1], nice=False)
    bars = alt.Chart(alt.Data(values=rows)).mark_bar(binSpacing=2, clip=True).encode(
        x=x, x2="to:Q", y=alt.Y("count:Q", title=unit, axis=alt.Axis(format="~s", tickCount=5)), tooltip=["from:Q", "to:Q", "count:Q"],
    )  # fmt: skip
    caption = "How exact the consensus is" if numeric else "How sure the consensus is"
    return finished("confidence", caption, f"{caption}: {_words(found, unit)}", bars, height=220)


def _words(found: Contents, unit: str) -> str:
    sure = found.certainty
    if found.overview.kind == "number":
        return f"{number(sure.units)} tasks, standard deviation {number(sure.mean)} on average."
    passed = ", ".join(f"{percent(t.share)} at {t.level} or more" for t in sure.thresholds)
    return f"of {number(sure.units)} {unit}, {passed}; {number(sure.mean, 2)} on average."
