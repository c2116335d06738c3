"""From runs to a table: means, standard errors, the paper's figure beside ours, the share of what there is to win."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..tables import RESULTS, markdown, short
from .runs import Runs
from .table import Share, Table

__all__ = ["FOLDER", "long_rows", "page", "write"]

FOLDER = RESULTS / "papers"
COLUMNS = ("data", "system", "metric", "paper", "ours", "se", "seeds", "seconds")


def long_rows(table: Table, runs: Runs) -> Iterator[dict[str, Any]]:
    """A row a cell and metric; cells without a run have none."""
    for cell in table.cells:
        found = list(runs.of(cell.data, cell.system).values())
        for metric in dict.fromkeys(name for run in found for name in run if name != "seconds"):
            values = np.array([run[metric] for run in found if metric in run])
            yield {
                "data": cell.data, "system": cell.system, "metric": metric, "paper": cell.paper.get(metric),
                "ours": float(values.mean()), "se": _error(values), "seeds": len(values),
                "seconds": float(np.mean([run["seconds"] for run in found])),
            }  # fmt: skip


def page(table: Table, runs: Runs) -> str:
    """The table in markdown: of each metric ours ± its error, the paper's figure, and the share."""
    rows = list(long_rows(table, runs))
    parts = [f"### {table.title}", *_overall(table, rows)]
    for data in dict.fromkeys(cell.data for cell in table.cells):
        ours = [row for row in rows if row["data"] == data]
        if ours:
            parts += [f"**{data}**", markdown(list(_wide(table, data, ours)))]
    missing = [f"{cell.system} on {cell.data}" for cell in table.cells if not runs.of(cell.data, cell.system)]
    parts.append(f"What differs from the paper: {table.differs}")
    if missing:
        parts.append(f"Not measured yet: {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"


def write(table: Table, runs: Runs, folder: Path = FOLDER) -> None:
    """NAME.csv (long) and NAME.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{table.name}.md").write_text(page(table, runs), encoding="utf-8")
    with open(folder / f"{table.name}.csv", "w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _short(v) for k, v in row.items()} for row in long_rows(table, runs))


def _wide(table: Table, data: str, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_cell = {(row["system"], row["metric"]): row for row in rows}
    for cell in (cell for cell in table.cells if cell.data == data):
        found = [by_cell[cell.system, metric] for metric in table.shows if (cell.system, metric) in by_cell]
        if not found:
            continue
        line: dict[str, Any] = {"system": cell.system}
        for metric in table.shows:
            row = by_cell.get((cell.system, metric))
            line[metric] = row and _ours(row)
            if any(metric in other.paper for other in table.cells if other.data == data):
                line[f"{metric}, paper"] = cell.paper.get(metric)
        if table.share:
            line[f"share of {table.share.metric}"] = _share(cell.system, table.share, by_cell)
        yield line | {"seeds": max(row["seeds"] for row in found), "CPU s": found[0]["seconds"]}


def _overall(table: Table, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Mean, mean rank (1 is the best; ties share) and share over the data that all systems have been run on."""
    if not table.overall:
        return
    found = {(row["data"], row["system"]): row["ours"] for row in rows if row["metric"] == table.overall}
    ends = () if table.share is None else (table.share.low, table.share.high)
    every = list(dict.fromkeys(cell.data for cell in table.cells))
    runs = {
        name: sum((data, name) in found for data in every)
        for name in dict.fromkeys(c.system for c in table.cells)
    }
    most = max((n for name, n in runs.items() if name not in ends), default=0)
    names = [name for name, n in runs.items() if n >= most > 0]
    shared = [data for data in every if all((data, name) in found for name in names)]
    ranked = [name for name in names if name not in ends]
    if not shared or len(ranked) < 2:
        return
    ours = np.array([[found[data, name] for data in shared] for name in names])
    ranks = rankdata(-np.round([ours[names.index(name)] for name in ranked], 6), axis=0)
    lines = []
    for name, row in zip(names, ours, strict=True):
        line: dict[str, Any] = {"system": name, f"mean {table.overall}": float(row.mean())}
        line["mean rank"] = float(ranks[ranked.index(name)].mean()) if name in ranked else None
        if set(ends) <= set(names) and ends:
            low, high = (ours[names.index(end)] for end in ends)
            line["mean share"] = float(np.mean((row - low) / (high - low)))
        lines.append(line)
    yield f"Over {len(shared)} crowds: {'; '.join(shared)}."
    yield markdown(lines)


def _ours(row: dict[str, Any]) -> str:
    """The mean and its standard error."""
    if np.isnan(row["se"]):
        return short(row["ours"])
    return f"{short(row['ours'])} ± {short(row['se'])}"


def _share(system: str, share: Share, rows: dict[Any, Any]) -> float | None:
    """What of the way from the lower to the upper system this one goes."""
    found = [rows.get((name, share.metric)) for name in (share.low, share.high, system)]
    if any(row is None for row in found):
        return None
    low, high, ours = (row["ours"] for row in found)
    return float((ours - low) / (high - low)) if high != low else None


def _error(values: np.ndarray) -> float:
    """The standard error of the mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _short(value: Any) -> Any:
    return f"{value:.5g}" if isinstance(value, float) else value
