"""How long a report takes, and how large it is, for crowds up to ten thousand annotators and a million tasks."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

import manyhands as mh
from manyhands.errors import ConvergenceWarning

from .processes import fresh
from .tables import RESULTS, publish

__all__ = ["main", "measured"]

SIZES = ((1_000, 50), (20_000, 500), (200_000, 10_000), (1_000_000, 10_000))
NOTES = """
`mh.report(result, path)` of Dawid-Skene over four classes, five labels a task, with a time for every label: CPU seconds and
seconds by the clock in a process of its own, one numeric thread, the packages of the page imported on the way; the fit is
not counted. *Even*: all annotators give about as many labels; *uneven*: by Zipf's law, as in real crowds, so that many more
pairs share tasks. *Pairs* share ten labels or more and are tested for copying. *Peak* is the process's, with simulation and
fit. Asked for: under 10 s and 5 MB.
"""


def measured(tasks: int, annotators: int, activity: str) -> dict[str, Any]:
    """One report."""
    crowd = mh.simulate(
        "confusion", n_tasks=tasks, n_annotators=annotators, n_classes=4, activity=activity, seed=0
    )
    labels = replace(
        crowd.labels, columns={"timestamp": np.random.default_rng(0).random(crowd.labels.n_answers)}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = mh.DawidSkene(shared=10.0, max_iter=30).fit(labels).result_
    cpu, clock = time.process_time(), time.perf_counter()
    made = mh.report(result)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    found = made.contents
    return {
        "pairs": found.pairs.tested if found.pairs else 0, "cpu s": cpu, "clock s": clock,
        "MB": len(made.html.encode()) / 1e6,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for tasks, annotators in SIZES:
        for activity in ("uniform", "zipf"):
            job = {"tasks": tasks, "annotators": annotators, "activity": activity}
            found = fresh("benchmarks.report_size", job)
            if "error" in found:
                raise SystemExit(f"{job}: {found['error']}")
            shown = {
                "tasks": tasks,
                "annotators": annotators,
                "labels each": {"uniform": "even", "zipf": "uneven"}[activity],
            }
            rows.append(shown | found)
            print(rows[-1], file=sys.stderr, flush=True)
    publish("report", "Reports", rows, notes=NOTES, out=None if asked.dry else RESULTS)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].startswith("{"):
        print(json.dumps(measured(**json.loads(sys.argv[1]))))
    else:
        main()
