"""Labels by the hundred million, on one small machine: processes against one, blocks in little memory, and beyond.

Parts, each kept in a file under --work as soon as it is measured, and not measured again (--again: anew):

    simulate   part files of a crowd with confusion matrices, written as they are drawn
    race       2 processes of 1 thread against 1 process of 1 and of 2 threads, tables in memory (up to 50M labels)
    blocks     `Blocks` within --memory, in 1 process and in 2

With --publish the tables of docs/scale.md are written, and the arithmetic for 10^10 labels on 32 hosts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from .processes import ROOT, thread_settings
from .scale_arithmetic import forecast, notes
from .tables import RESULTS, publish

__all__ = ["main"]

CLASSES, REDUNDANCY, BLOCK = 5, 5, 500_000
IN_MEMORY = 50_000_000  # labels, at most, for the race
ITERATIONS = 8
WANTED = 1.7
RACE_NOTES = f"""
Dawid-Skene, {CLASSES} classes, {REDUNDANCY} labels a task; tables in memory, each process with its own half of the part
files. Seconds of one iteration (wall): the least and the mean of {ITERATIONS - 2}. *all-reduce*: the share of the time
that sums spend between processes, waiting for the slower one included. *times*: as fast as one process of one thread;
asked for: {WANTED}.
"""
BLOCK_NOTES = """
The same crowd in blocks that are streamed from scratch files: seconds of one iteration (wall, least and mean); reading and
dividing the part files, and writing the consensus, once each. *peak*: resident memory of the process that held most,
with all it imports; *scratch*: what the files of all processes take on the disk.
"""


def simulated(labels: int, annotators: int, folder: Path) -> dict[str, Any]:
    """Part files of half a million tasks each."""
    from manyhands.simulation import simulate_blocks

    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    crowd = simulate_blocks(
        "confusion", block=min(BLOCK, -(-labels // (4 * REDUNDANCY))), n_tasks=labels // REDUNDANCY, n_annotators=annotators, n_classes=CLASSES,
        redundancy=REDUNDANCY, seed=0, names=False,
    )  # fmt: skip
    first = 0
    for number, block in enumerate(crowd):
        table = block.labels
        columns = {"task": table.task + first, "annotator": table.annotator, "label": table.answers.values}
        pl.DataFrame(columns).write_parquet(folder / f"part-{number:05d}.parquet")
        first += table.n_tasks
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    return {"seconds": time.perf_counter() - start, "bytes": size}


def fitted(
    folder: Path, processes: int, threads: int, memory: str | None, out: Path | None
) -> dict[str, Any]:
    """A fit in fresh processes."""
    job = {"folder": str(folder), "memory": memory, "iterations": ITERATIONS, "threads": threads}
    job["out"] = None if out is None else str(out)
    start = [sys.executable, "-m"]
    if processes > 1:
        start += ["torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), "-m"]
    env = os.environ | thread_settings(threads) | {"SCALE_JOB": json.dumps(job)}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), env.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*start, "benchmarks.scale_worker"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{processes} processes failed:\n{done.stderr.strip()[-2000:]}")
    found: dict[str, Any] = json.loads(
        next(x for x in reversed(done.stdout.splitlines()) if x.startswith("{"))
    )
    return found


class Kept:
    """Measurements by name, each in a file of its own as soon as it is there."""

    def __init__(self, folder: Path, again: bool):
        self.folder, self.again = folder, again
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        path = self.folder / f"{name}.json"
        if path.exists() and not self.again:
            return dict(json.loads(path.read_text()))
        print(name, file=sys.stderr, flush=True)
        found = measure()
        path.write_text(json.dumps(found))
        return found


def race_rows(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    base = runs[0]["everybody"][0]["iteration_s"]
    rows = []
    for run in runs:
        all_ = run["everybody"]
        slowest = max(own["iteration_s"] for own in all_)
        rows.append({
            "labels": sum(own["labels"] for own in all_), "processes": run["processes"], "threads each": run["threads"],
            "iteration s": slowest, "mean s": max(own["mean_s"] for own in all_),
            "all-reduce": _share(all_), "times": base / slowest,
        })  # fmt: skip
    return rows


def _share(everybody: list[dict[str, Any]]) -> str:
    share = max(own["crossing_s"] / own["mean_s"] for own in everybody)
    return "-" if len(everybody) == 1 else f"{100 * share:.1f} %"


def block_rows(runs: list[dict[str, Any]], memory: str) -> list[dict[str, Any]]:
    rows = []
    for run in runs:
        all_ = run["everybody"]
        rows.append({
            "labels": sum(own["labels"] for own in all_), "annotators": all_[0]["annotators"],
            "processes": run["processes"], "--memory": memory, "blocks": sum(own["blocks"] for own in all_),
            "read s": max(own["read_s"] for own in all_), "iteration s": max(own["iteration_s"] for own in all_),
            "mean s": max(own["mean_s"] for own in all_), "all-reduce": _share(all_),
            "write s": max(own["write_s"] for own in all_), "peak MB": max(own["peak_mb"] for own in all_),
            "scratch GB": sum(own["scratch"] for own in all_) / 1e9,
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labels", type=int, default=20_000_000)
    parser.add_argument("--annotators", type=int, help="default: 2000 labels each")
    parser.add_argument("--memory", default="2G")
    parser.add_argument(
        "--work", type=Path, required=True, help="a folder for part files, scratch and measurements"
    )
    parser.add_argument("--again", action="store_true", help="measure anew")
    parser.add_argument("--publish", action="store_true", help="write the tables that docs/scale.md quotes")
    asked = parser.parse_args()
    annotators = asked.annotators or max(asked.labels // 2000, 50)
    work = asked.work / str(asked.labels)
    kept, parts = Kept(work / "measured", asked.again), work / "parts"
    made = kept("simulate", lambda: simulated(asked.labels, annotators, parts))
    out = RESULTS if asked.publish else None
    if asked.labels <= IN_MEMORY:
        sizes = [(1, 1), (1, 2), (2, 1)]
        runs = [kept(f"race-{n}-{t}", lambda n=n, t=t: fitted(parts, n, t, None, None)) for n, t in sizes]
        publish("scale-race", "Two processes against one", race_rows(runs), notes=RACE_NOTES, out=out)
    runs = [
        kept(f"blocks-{n}-{asked.memory}", lambda n=n: fitted(parts, n, 1, asked.memory, work / f"out-{n}"))
        for n in (1, 2)
    ]
    publish("scale-blocks", "In blocks", block_rows(runs, asked.memory), notes=BLOCK_NOTES, out=out)
    rows = forecast(runs, made["bytes"], CLASSES)
    publish("scale-forecast", "Ten thousand million labels on 32 hosts", rows, notes=notes(runs), out=out)


if __name__ == "__main__":
    main()
