"""The papers' tables from the real crowds: runs what is not done yet, then writes csv and markdown.

    python -m benchmarks.papers --data ../shared/data [--only crowd-layer-1:labelme (average),speelfc-2:SpeeLFC]
        [--seeds 20] [--minutes 30] [--quick] [--write]

A run is kept when it is done (`benchmarks/results/papers/runs`), so a killed command goes on where it was; two
commands at once need different `--only`. Seeds go round the cells, so that a table half done is a table of few seeds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

from manyhands.errors import ConvergenceWarning, LabelWarning

from ..quote import quote_all
from ..real_crowds import NEEDED, data_folder
from .catalog import TABLES, table
from .runs import Runs
from .summary import FOLDER, page, write
from .table import Cell, Table

__all__ = ["main", "pending"]


def main() -> None:
    """Run, write, and quote in docs/results.md."""
    options = _options()
    if options.data:
        os.environ["MANYHANDS_DATA"] = options.data
    if data_folder() is None:
        raise SystemExit(NEEDED)
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", LabelWarning)
    folder = FOLDER if options.out is None else Path(options.out)
    if options.quick:
        folder = folder / "quick"  # not kept in the repository
    until = time.time() + 60 * options.minutes
    for name, part in _asked(options.only):
        made = table(name)
        runs = Runs(folder / "runs" / f"{name}.jsonl")
        if not options.write:
            _run(made, runs, options, part, until)
        write(made, runs, folder)
        print(page(made, runs), flush=True)
    if not options.quick and options.out is None:
        quote_all()


def pending(made: Table, runs: Runs, seeds: int | None, part: str = "") -> Iterator[tuple[int, Cell]]:
    """What is not done, seed by seed (those that are trained together, in a row). part: SYSTEM, DATA or SYSTEM:DATA."""
    cells = [cell for cell in made.cells if {*part.split(":")} <= {"", cell.system, cell.data}]
    for first in range(max((seeds or cell.seeds for cell in cells), default=0)):
        for cell in cells:
            block = range(first, first + cell.together) if first % cell.together == 0 else ()
            done = runs.of(cell.data, cell.system)
            yield from ((s, cell) for s in block if s < (seeds or cell.seeds) and s not in done)


def _run(made: Table, runs: Runs, options: argparse.Namespace, part: str, until: float) -> None:
    failed = set()
    for seed, cell in pending(made, runs, 1 if options.quick else options.seeds, part):
        if time.time() > until or (cell.data, cell.system) in failed:
            continue
        begun = time.process_time()
        try:
            metrics = cell.run(seed, options.quick)
        except Exception:  # one broken system must not cost the night
            traceback.print_exc()
            failed.add((cell.data, cell.system))
            continue
        seconds = time.process_time() - begun
        runs.add(cell.data, cell.system, seed, metrics, seconds)
        said = ", ".join(f"{key} {value:.4f}" for key, value in metrics.items())
        print(f"{made.name} {cell.data} {cell.system} seed {seed}: {said} ({seconds:.1f} s)", file=sys.stderr)
    if failed and options.quick:
        raise SystemExit(f"{made.name}: failed: {failed}")


def _asked(only: str) -> Iterator[tuple[str, str]]:
    for part in only.split(",") if only else TABLES:
        name, _, rest = part.partition(":")
        if name not in TABLES:
            raise SystemExit(f"--only {name!r} is no table: there are {', '.join(TABLES)}")
        yield name, rest


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", help="the folder of real crowds (default: MANYHANDS_DATA)")
    parser.add_argument(
        "--only",
        default="",
        help="tables, TABLE:SYSTEM, TABLE:DATA or TABLE:SYSTEM:DATA, with commas between",
    )
    parser.add_argument("--seeds", type=int, help="runs a cell (default: those of the table)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no run after so many minutes")
    parser.add_argument("--quick", action="store_true", help="one short run of everything; kept apart")
    parser.add_argument("--write", action="store_true", help="write the tables from the runs there are")
    parser.add_argument("--out", help="another folder for runs and tables")
    return parser.parse_args()


if __name__ == "__main__":
    main()
