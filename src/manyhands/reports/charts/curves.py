"""The curves of the training."""

from __future__ import annotations

from ..extra import needed
from ..numbers.progress import Progress
from ..numbers.words import number
from .chart import Chart, Key, finished

__all__ = ["curve_charts"]

COLOURS = ("var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)")


def curve_charts(curves: tuple[Progress, ...]) -> tuple[Chart, ...]:
    """One a figure."""
    return tuple(_chart(curve, place) for place, curve in enumerate(curves))


def _chart(curve: Progress, place: int) -> Chart:
    alt = needed("altair")
    phases = list(dict.fromkeys(curve.phases))
    of_step = curve.phases or ("",) * len(curve.steps)
    rows = [
        {"step": step, "value": value, "phase": phase}
        for step, value, phase in zip(curve.steps, curve.values, of_step, strict=True)
    ]
    line = alt.Chart(alt.Data(values=rows)).mark_line().encode(
        x=alt.X("step:Q", title=curve.step, axis=alt.Axis(format="~s", grid=False, tickMinStep=1, tickCount=8)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(format=_form(curve), tickCount=5)),
        tooltip=["step:Q", "value:Q", "phase:N"],
    )  # fmt: skip
    keys: tuple[Key, ...] = ()
    if len(phases) > 1:
        scale = alt.Scale(domain=phases, range=[COLOURS[n % 4] for n in range(len(phases))])
        line = line.encode(color=alt.Color("phase:N", scale=scale, legend=None))
        keys = tuple(Key(phase, COLOURS[n % 4], "line") for n, phase in enumerate(phases))
    says = (
        f"{curve.title} over {number(len(curve.steps))} points, from {number(curve.values[0])} at "
        f"{curve.step} {curve.steps[0]} to {number(curve.values[-1])} at {curve.step} {curve.steps[-1]}."
    )
    return finished(f"curve-{place}", curve.title, says, line, keys, 200)


def _form(curve: Progress) -> str:
    """Log-likelihoods of large crowds have many digits before the point and need none after it."""
    return ",.0f" if max(map(abs, curve.values)) >= 1000 else ".4~g"
