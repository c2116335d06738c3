"""CMM, Figure 3: seconds and memory against the number of annotators, each fit in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..measure import Laps, peak_mb
from ..processes import fresh
from .growing_crowds import ANNOTATORS, gaussians
from .table import Cell, Table

__all__ = ["TABLE"]

EPOCHS = 10
METHODS = {"CMM": "cmm", "DL-EM": "deep-em"}


def _run(seed: int, quick: bool, *, system: str, n_annotators: int) -> Mapping[str, float]:
    job = {
        "method": METHODS[system],
        "annotators": n_annotators,
        "seed": seed,
        "epochs": 2 if quick else EPOCHS,
    }
    found: dict[str, Any] = fresh("benchmarks.papers.cost_of_annotators", job, threads=1)
    if "error" in found:
        raise RuntimeError(found["error"])
    return found


def _work(job: dict[str, Any]) -> dict[str, float]:
    """One fit; its memory is what the process holds beyond what it held when the data were made."""
    import manyhands as mh
    from manyhands.networks import MLP

    data = gaussians(job["annotators"], job["seed"])
    options = {"network": MLP((16,), dropout=0.0), "random_state": job["seed"]}
    mh.method(job["method"]).make(epochs=1, **options).fit(data.x[:200], data.labels[:200])  # torch wakes up
    model, laps, before = mh.method(job["method"]).make(epochs=job["epochs"], **options), Laps(), _forgotten()
    laps.take()
    model.fit(data.x, data.labels)
    laps.take()
    return {"CPU s a round": laps.cpu[0] / job["epochs"], "MB": peak_mb() - before}


def _forgotten() -> float:
    """The memory held now, in MB: Linux begins its high-water mark anew from here."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_mb()


TABLE = Table(
    "cmm-figure-3",
    "CMM, Figure 3: what annotators cost",
    tuple(
        Cell(name, f"T = {n}", partial(_run, system=name, n_annotators=n), seeds=3)
        for name in METHODS
        for n in (*ANNOTATORS, 100_000, 1_000_000)
    ),
    ("CPU s a round", "MB"),
    f"the paper has curves and no numbers: CMM's flat, DL-EM's rising. Table 2's Gaussians with as many annotators as the paper's, and "
    f"beyond; {EPOCHS} rounds, each fit in a process of its own, its peak of memory beyond what the process held before. Both keep labels "
    "sparse: up to the paper's ten thousand neither shows; then DL-EM's matrices do, nine numbers an annotator, and of CMM what it keeps "
    "of each annotator after the fit.",
)

if __name__ == "__main__":
    print(json.dumps(_work(json.loads(sys.argv[1]))))
