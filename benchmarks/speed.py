"""Seconds an iteration and peak memory, ours and crowd-kit's in one run, and what memory allows."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from . import peers
from .processes import fresh
from .synthetic import Files, Size, write_parquet
from .tables import RESULTS, publish

__all__ = ["bound_rows", "main", "ratio_rows"]


class Race(NamedTuple):
    """Whom we meet, on what, in how many iterations, and how many times as fast we want to be."""

    method: str
    peer: str
    size: Size
    ours: int
    theirs: int
    wanted: int


BIG = Size(1_000_000, 10_000)
FULL = (
    Race("dawid-skene", "DawidSkene", BIG, 15, 3, 25),
    Race("one-coin", "OneCoinDawidSkene", BIG, 15, 2, 60),
    Race("mace", "MACE", BIG, 15, 3, 25),
    Race("glad", "GLAD", Size(100_000, 1_000, 10), 15, 1, 200),
)
SMALL = Size(20_000, 500)
QUICK = (
    Race("dawid-skene", "DawidSkene", SMALL, 12, 3, 25),
    Race("one-coin", "OneCoinDawidSkene", SMALL, 12, 2, 60),
    Race("mace", "MACE", SMALL, 12, 3, 25),
    Race("glad", "GLAD", Size(2_000, 100), 12, 1, 200),
)
TURNS = 3  # fresh processes of ours: each is short, and the least of them is taken
PATIENCE = 1200.0

RATIO_NOTES = """
Size: tasks x annotators x classes x labels a task, seed 0. CPU seconds of one iteration on one thread: the least of
all iterations taken, each from one E-step to the next (ours: 3 processes; crowd-kit: 1, as its iterations are long).
Peak: resident memory of a fresh process that reads the parquet file and fits, with everything it imports; *bare* is
what our imports alone hold (torch, mostly). MACE: crowd-kit's is variational Bayes, ours EM with Beta and Dirichlet
priors. GLAD: crowd-kit's M-step is up to 25 conjugate-gradient steps, ours 2 Newton steps of each kind, so their
iteration does more; the accuracies say what came out of so many iterations.
"""
BOUND_NOTES = """
One iteration of Dawid-Skene, the two sums of rows in it alone, and the reads alone (the rows of both sums, by unit and by
cell, nothing written; the sums may be quicker: they read the posterior block by block). Asked for: an iteration within 3 times the reads, wall, 2 threads.
"""


def ratio_rows(races: tuple[Race, ...], files: dict[Size, Files]) -> Iterator[dict[str, Any]]:
    """A row a method."""
    for race in races:
        print(f"{race.method}, {race.size}", file=sys.stderr, flush=True)
        ours = _ours(race, files[race.size])
        theirs = _theirs(race, files[race.size])
        row: dict[str, Any] = {"method": race.method, "size": str(race.size)}
        row |= {"s/iteration": ours["iteration_cpu"], "crowd-kit": theirs.get("iteration_cpu", float("nan"))}
        row |= {"ratio": row["crowd-kit"] / row["s/iteration"], "wanted": race.wanted}
        row |= {"read s": ours["read_cpu"], "bare MB": ours["bare_mb"], "peak MB": ours["peak_mb"]}
        row |= {"crowd-kit MB": theirs.get("peak_mb", float("nan"))}
        row |= {"accuracy": ours["accuracy"], "crowd-kit's": theirs.get("accuracy", float("nan"))}
        if "error" in theirs:
            row["remark"] = theirs["error"]
        yield row


def _ours(race: Race, files: Files) -> dict[str, Any]:
    """The best of several fresh processes; memory is the worst of them."""
    turns = [_fit(race, files, threads=1) for _ in range(TURNS)]
    best = min(turns, key=lambda turn: turn["iteration_cpu"])
    return best | {"peak_mb": max(turn["peak_mb"] for turn in turns)}


def _fit(race: Race, files: Files, threads: int) -> dict[str, Any]:
    job: dict[str, Any] = {"labels": str(files.labels), "truth": str(files.truth), "method": race.method}
    job |= {"iterations": race.ours, "threads": threads, "settings": {}}
    answer = fresh("benchmarks.our_worker", job, threads=threads)
    if "error" in answer:
        raise SystemExit(f"our {race.method} failed: {answer['error']}")
    return answer


def _theirs(race: Race, files: Files) -> dict[str, Any]:
    return peers.ask(
        "timing", PATIENCE, labels=str(files.labels), truth=str(files.truth), method=race.peer,
        iterations=race.theirs,
    )  # fmt: skip


def bound_rows(race: Race, files: Files) -> Iterator[dict[str, Any]]:
    """CPU on one thread and wall on two, of an iteration and of its bounds."""
    for threads, kind in ((1, "cpu"), (2, "wall")):
        turns = [_fit(race, files, threads) for _ in range(TURNS)]
        own = min(turn[f"iteration_{kind}"] for turn in turns)
        job = {"labels": str(files.labels), "threads": threads}
        bounds = [fresh("benchmarks.gather_bound", job, threads=threads) for _ in range(TURNS)]
        sums, reads = (min(b[f"{name}_{kind}"] for b in bounds) for name in ("sums", "reads"))
        row: dict[str, Any] = {"seconds": f"{'CPU' if kind == 'cpu' else 'wall'}, {threads} thread(s)"}
        yield row | {
            "iteration": own, "two sums alone": sums, "reads alone": reads,
            "iteration / sums": own / sums, "iteration / reads": own / reads,
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, printed only: a minute")
    parser.add_argument("--methods", nargs="*", help="only these")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    races = tuple(
        r for r in (QUICK if asked.quick else FULL) if not asked.methods or r.method in asked.methods
    )
    if not races:
        raise SystemExit("no such method; there are " + ", ".join(race.method for race in FULL))
    if peers.peer_python() is None:
        print(f"crowd-kit's columns: {peers.NEEDED}", file=sys.stderr)
    out: dict[str, Any] = {"out": None if asked.quick or asked.dry or asked.methods else RESULTS}
    with tempfile.TemporaryDirectory() as folder:
        files = {size: write_parquet(size, Path(folder)) for size in {race.size for race in races}}
        publish("speed", "Against crowd-kit 1.4.2", list(ratio_rows(races, files)), notes=RATIO_NOTES, **out)
        bounds = list(bound_rows(races[0], files[races[0].size])) if races[0].method == "dawid-skene" else []
    if bounds:
        publish("gather-bound", "Against the bound of memory", bounds, notes=BOUND_NOTES, **out)


if __name__ == "__main__":
    main()
