"""All data of a table together: means, ranks and shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..tables import markdown
from .table import Table

__all__ = ["overall"]


def overall(table: Table, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Mean, mean rank (1 is the best; ties share) and share over the data that all systems have been run on."""
    found = {(row["data"], row["system"]): row["ours"] for row in rows if row["metric"] == table.overall}
    if not table.overall or not found:
        return
    ends = [] if table.share is None else [table.share.low, table.share.high]
    names, shared = _complete(table, found, ends)
    ranked = [name for name in names if name not in ends]
    if shared and len(ranked) > 1:
        ours = {name: np.array([found[data, name] for data in shared]) for name in names}
        yield f"Over {len(shared)} crowds: {'; '.join(shared)}."
        yield markdown([_line(table.overall, name, ours, ranked, ends) for name in names])


def _complete(table: Table, found: dict[Any, float], ends: list[str]) -> tuple[list[str], list[str]]:
    """The systems that most data have been run with, the ends too, and the data that all of these have."""
    every = list(dict.fromkeys(cell.data for cell in table.cells))
    runs = {cell.system: sum((data, cell.system) in found for data in every) for cell in table.cells}
    most = max((n for name, n in runs.items() if name not in ends), default=0)
    names = [name for name, n in runs.items() if n >= most > 0]
    return names, [data for data in every if all((data, name) in found for name in names)]


def _line(
    metric: str, name: str, ours: dict[str, np.ndarray], ranked: list[str], ends: list[str]
) -> dict[str, Any]:
    ranks = rankdata(-np.round([ours[other] for other in ranked], 6), axis=0)
    line: dict[str, Any] = {"system": name, f"mean {metric}": float(ours[name].mean())}
    line["mean rank"] = float(ranks[ranked.index(name)].mean()) if name in ranked else None
    if ends and all(end in ours for end in ends):
        low, high = (ours[end] for end in ends)
        line["mean share"] = float(np.mean((ours[name] - low) / (high - low)))
    return line
