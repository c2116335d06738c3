"""Tables of results: printed as markdown, and written as markdown and csv."""

from __future__ import annotations

import csv
import math
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .processes import ROOT

__all__ = ["RESULTS", "markdown", "publish", "short"]

RESULTS = ROOT / "benchmarks/results"


def publish(
    name: str, title: str, rows: Sequence[Mapping[str, Any]], *, notes: str = "", out: Path | None = RESULTS
) -> None:
    """Print a table, and write NAME.md and NAME.csv to a folder (None: print only)."""
    text = f"### {title}\n\n{markdown(rows)}\n"
    if notes:
        text += f"\n{notes.strip()}\n"
    text += f"\n{_machine()}\n"
    print(text, flush=True)
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(text, encoding="utf-8")
    with open(out / f"{name}.csv", "w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, _columns(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """A markdown table; numbers to four digits, and no more decimals than they need.

    >>> print(markdown([{"crowd": "rte", "accuracy": 0.92751, "n": 800}]))
    | crowd | accuracy | n |
    |---|---|---|
    | rte | .9275 | 800 |
    """
    names = _columns(rows)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    return "-" if math.isnan(value) else short(value)


def short(value: float) -> str:
    """To four digits, and no more decimals than it needs.

    >>> short(0.25), short(12.345)
    ('.2500', '12.3')
    """
    if value and abs(value) < 1e-3:
        return f"{value:.1e}"
    digits = 4 if abs(value) < 1 else 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and float(text) else text


def _machine() -> str:
    from importlib.metadata import version

    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch", "polars"))
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return (
        f"Measured with Python {platform.python_version()}, {packages}, {os.cpu_count()} cores, "
        f"load {load} at the end."
    )
