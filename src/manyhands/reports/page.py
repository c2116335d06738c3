"""The page: one HTML file with its style, its code and its data inside."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple

from .charts.chart import chart_code
from .charts.drawn import Charts, charts
from .extra import needed
from .numbers.contents import Contents
from .numbers.words import number, percent, signed

__all__ = ["page", "script_json"]

# What ends a script, or a line in one, whatever a name may hold.
UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


class _Section(NamedTuple):
    """id: of the section and its template; title: in the list of sections; heading: above it."""

    id: str
    title: str
    heading: str


def page(found: Contents) -> str:
    """The whole page as text.

    >>> from manyhands import MajorityVote, simulate
    >>> from manyhands.reports.numbers.contents import contents
    >>> crowd = simulate("confusion", n_tasks=50, n_annotators=5, seed=0)
    >>> page(contents(MajorityVote().fit(crowd.labels).result_)).startswith("<!doctype html>")
    True
    """
    from .. import __version__

    drawn, sections = charts(found), _sections(found)
    template = _environment().get_template("report.html")
    text: str = template.render(
        found=found, charts=drawn, sections=sections, ids={section.id for section in sections},
        data=_data(found, drawn), code=_code(), version=__version__,
    )  # fmt: skip
    return text


def script_json(data: Any) -> str:
    r"""JSON that may stand in a script element: no name can end it.

    >>> script_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(UNSAFE)


@lru_cache(maxsize=1)
def _environment() -> Any:
    """Templates are compiled once a process."""
    jinja2, markup = needed("jinja2"), needed("markupsafe").Markup
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("manyhands.reports"), undefined=jinja2.StrictUndefined, trim_blocks=False,
        autoescape=jinja2.select_autoescape(enabled_extensions=("html",), default=False),
    )  # fmt: skip
    made.filters |= {
        "number": number, "percent": percent, "signed": signed, "cell": _cell, "clip": lambda v: f"{min(max(v, 0.0), 100.0):.2f}",
        "script_json": lambda data: markup(script_json(data)),
    }  # fmt: skip
    return made


def _code() -> Any:
    return needed("markupsafe").Markup(chart_code().replace("</script", r"<\/script"))


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else number(value)


def _sections(found: Contents) -> list[_Section]:
    """Those that have something to say, in the order in which a reader asks."""
    there = (
        (True, "overview", "Overview", "At a glance"),
        (True, "agreement", "Agreement", "How far people agree"),
        (True, "consensus", "Consensus", "The consensus, and how sure it is"),
        (found.comparison, "comparison", "Methods", "Which method to believe"),
        (True, "annotators", "Annotators", "The annotators"),
        (found.confusions, "confusions", "Confusions", "What is taken for what"),
        (found.parts, "parts", found.parts.title.split(" ")[0] if found.parts else "", found.parts.title if found.parts else ""),
        (found.map, "map", "Map", "A map of the annotators"),
        (found.pairs, "pairs", "Pairs", "Pairs that agree too well"),
        (found.drift, "drift", "Drift", "Change over time"),
        (found.tasks, "tasks", "Tasks", "Tasks that deserve a second look"),
        (found.spans, "spans", "Spans", "Disputed spans"),
        (found.progress or found.overview.settings, "training", "Training", "How the fit went"),
    )  # fmt: skip
    return [_Section(*names) for is_there, *names in there if is_there]


def _data(found: Contents, drawn: Charts) -> dict[str, Any]:
    """What the scripts of the page work on."""
    people, matrices = found.annotators, found.confusions
    return {
        "charts": {chart.name: _short(chart.spec) for chart in drawn.every},
        "annotators": {
            "names": people.names, "columns": [asdict(c) for c in people.columns], "main": people.main,
            "low": people.low, "high": people.high, "standing": people.standing, "standings": people.standings,
            "crowd": people.crowd if math.isfinite(people.crowd) else None,
        },
        "confusions": None if matrices is None or not matrices.matrices else {
            "truths": matrices.truths, "labels": matrices.labels, "crowd": matrices.crowd,
            "matrices": matrices.matrices, "order": list(matrices.matrices),
        },
        "classes": found.parts.classes if found.parts else (),
        "parts": [part.matrix for part in found.parts.parts] if found.parts else [],
    }  # fmt: skip


def _short(spec: Any) -> Any:
    """Six digits are enough for a picture."""
    if isinstance(spec, dict):
        return {key: _short(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [_short(value) for value in spec]
    return float(f"{spec:.6g}") if isinstance(spec, float) else spec
