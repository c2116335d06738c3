"""Runs in the peer's environment: one job of crowd-kit, as JSON in, one JSON line out.

It imports nothing of manyhands.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from crowdkit import aggregation

from benchmarks.measure import Laps, peak_mb

# Which E-steps bound whole iterations: GLAD and MACE take one before the first iteration; MACE
# one more after the last.
FIRST_LAP = {"DawidSkene": 0, "OneCoinDawidSkene": 0, "MACE": 0, "GLAD": 1}


def build(method: str, n_iter: int | None, tol: float | None = None) -> Any:
    """The aggregator; with n_iter and no tol it takes exactly so many iterations."""
    settings: dict[str, Any] = {}
    if method not in ("MajorityVote", "Wawa") and n_iter is not None:
        settings["n_iter"] = n_iter
    if method in ("DawidSkene", "OneCoinDawidSkene", "GLAD"):
        settings["tol"] = -np.inf if tol is None else tol
    if method == "MACE":
        settings["n_restarts"] = 1
    return getattr(aggregation, method)(**settings)


def posteriors(votes: str, out: str, method: str, iterations: list[int], tol: float | None) -> dict[str, Any]:
    """The posterior after so many iterations, [tasks, classes] by code."""
    with np.load(votes) as held:
        frame = pd.DataFrame({name: held[name] for name in ("task", "worker", "label")})
        n_tasks, n_classes = held["sizes"]
    found = {}
    for n in iterations:
        chances = build(method, n, tol).fit_predict_proba(frame)
        grid = chances.reindex(index=range(n_tasks), columns=range(n_classes))
        found[f"after_{n}"] = grid.fillna(0.0).to_numpy(dtype=np.float64)
    np.savez(out, **found)
    return {"done": len(found)}


def timing(labels: str, truth: str, method: str, iterations: int) -> dict[str, Any]:
    """Seconds of an iteration, the least of those taken, and the peak of memory."""
    frame = pd.read_parquet(labels).rename(columns={"annotator": "worker"})
    loaded = peak_mb()
    model = build(method, iterations)
    laps = _watch(model)
    start = time.process_time()
    said = model.fit_predict(frame)
    spent = time.process_time() - start
    laps.take()
    last = None if method == "MACE" else len(laps.cpu)
    first = FIRST_LAP[method]
    known = np.load(truth)
    return {
        "iteration_cpu": min(laps.cpu[first:last]), "iteration_wall": min(laps.wall[first:last]),
        "iterations": iterations, "fit_cpu": spent, "loaded_mb": loaded, "peak_mb": peak_mb(),
        "accuracy": float((said.reindex(range(len(known))).to_numpy() == known).mean()),
    }  # fmt: skip


def _watch(model: Any) -> Laps:
    """A lap from the start of one E-step to the start of the next is one iteration."""
    laps, plain = Laps(), model._e_step

    def watched(*args: Any, **kwargs: Any) -> Any:
        laps.take()
        return plain(*args, **kwargs)

    model._e_step = watched
    return laps


def csv_to_csv(labels: str, out: str, iterations: int) -> dict[str, Any]:
    """A csv of labels to a csv of the consensus, as a user of pandas would write it."""
    frame = pd.read_csv(labels).rename(columns={"annotator": "worker"})
    said = build("DawidSkene", iterations).fit_predict(frame)
    said.to_csv(out)
    return {"cpu": time.process_time(), "peak_mb": peak_mb(), "tasks": len(said)}


def faults() -> dict[str, Any]:
    """What it answers where PEERS found it wrong; an error is an answer too."""
    from benchmarks import crowdkit_faults

    return crowdkit_faults.answers()


def main() -> None:
    warnings.filterwarnings("ignore")
    job = json.loads(sys.argv[1])
    tasks: dict[str, Callable[..., dict[str, Any]]] = {
        "posteriors": posteriors,
        "timing": timing,
        "csv_to_csv": csv_to_csv,
        "faults": faults,
    }
    print(json.dumps(tasks[job.pop("task")](**job)))


if __name__ == "__main__":
    main()
