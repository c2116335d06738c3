"""Seconds a label and peak memory, from a million labels to fifty."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from .processes import fresh
from .synthetic import Size, write_parquet
from .tables import RESULTS, publish

__all__ = ["main", "measured"]

FULL = (1_000_000, 5_000_000, 20_000_000, 50_000_000)
QUICK = (100_000, 500_000)
LABELS_AN_ANNOTATOR = 500
ITERATIONS = 6
TURNS = 2
LIMIT_MB = 6000
NOTES = """
Dawid-Skene, five classes, five labels a task, five hundred labels an annotator, read from parquet; one numeric thread,
CPU seconds. *Read* and *set-up* (votes in both orders, the start) are paid once; nanoseconds a label beside them.
"""


def measured(labels: int, folder: Path) -> dict[str, Any]:
    """One size, the least of some turns; the file is not kept."""
    size = Size(labels // 5, max(labels // LABELS_AN_ANNOTATOR, 50))
    files = write_parquet(size, folder)
    job: dict[str, Any] = {"labels": str(files.labels), "truth": None, "method": "dawid-skene"}
    job |= {"iterations": ITERATIONS, "threads": 1, "settings": {}}
    turns = [fresh("benchmarks.our_worker", job, threads=1) for _ in range(TURNS)]
    for file in files:
        file.unlink()
    failed = [turn["error"] for turn in turns if "error" in turn]
    if failed:
        raise SystemExit(f"{labels} labels: {failed[0]}")
    least = {name: min(turn[name] for turn in turns) for name in turns[0]}
    set_up = max(least["fit_cpu"] - ITERATIONS * least["iteration_cpu"], 0.0)
    return {
        "labels": labels, "tasks": size.tasks, "annotators": size.annotators, "read s": least["read_cpu"],
        "set-up s": set_up, "iteration s": least["iteration_cpu"],
        "read ns/label": least["read_cpu"] / labels * 1e9, "set-up ns/label": set_up / labels * 1e9,
        "iteration ns/label": least["iteration_cpu"] / labels * 1e9,
        "peak MB": max(turn["peak_mb"] for turn in turns),
    }  # fmt: skip


def verdict(rows: list[dict[str, Any]]) -> str:
    """How far from linear the largest size is, seen from the second (of two: the first)."""
    low, high = rows[1 if len(rows) > 2 else 0], rows[-1]
    parts = [
        f"{what} {high[f'{what} ns/label'] / low[f'{what} ns/label']:.2f}"
        for what in ("read", "set-up", "iteration")
    ]
    return (
        f"Seconds a label at {high['labels']:,} over those at {low['labels']:,}: {', '.join(parts)} (1: linear). "
        f"Peak there: {high['peak MB']:.0f} MB (asked for at fifty million: below {LIMIT_MB})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to half a million labels, printed only")
    parser.add_argument("--labels", type=int, nargs="*", help="other sizes, printed only")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for labels in asked.labels or (QUICK if asked.quick else FULL):
            print(f"{labels:,} labels", file=sys.stderr, flush=True)
            rows.append(measured(labels, Path(folder)))
    out: dict[str, Any] = {"out": None if asked.quick or asked.labels or asked.dry else RESULTS}
    publish("scaling", "From one to fifty million labels", rows, notes=f"{NOTES}\n{verdict(rows)}", **out)


if __name__ == "__main__":
    main()
