"""Are our posteriors those of crowd-kit at equal iterations? Dawid-Skene and one coin, real crowds.

Where they are not, a third program, slow and plain (reference.py), says which rule explains each.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from manyhands.channels import Confusion, OneCoin, votes_of
from manyhands.objectives import JointEM
from manyhands.training import run_em

from .peers import NEEDED, peer_posteriors, peer_python
from .real_crowds import CLASSES, Crowd, class_crowds
from .reference import FLOOR, dawid_skene
from .tables import publish

__all__ = ["ITERATIONS", "TOLERANCE", "compare", "main", "ours"]

ITERATIONS = (1, 5, 20)
TOLERANCE = 1e-4
CHANNELS: dict[str, Any] = {"DawidSkene": Confusion(), "OneCoinDawidSkene": OneCoin()}


def compare(crowd: Crowd, iterations: Sequence[int] = ITERATIONS) -> Iterator[dict[str, Any]]:
    """The largest difference of any posterior, a row a method and number of iterations."""
    for method in CHANNELS:
        theirs = peer_posteriors(crowd.labels, method, iterations)
        if isinstance(theirs, str):
            yield {"crowd": crowd.name, "crowd-kit": method, "iterations": theirs}
            continue
        for n in iterations:
            row: dict[str, Any] = {"crowd": crowd.name, "crowd-kit": method, "iterations": n}
            row["float64"] = _gap(ours(crowd, method, n, "float64"), theirs[n])
            row["float32"] = _gap(ours(crowd, method, n, "float32"), theirs[n])
            if method == "DawidSkene" and row["float64"] >= TOLERANCE:
                row |= _explained(crowd, n, theirs[n])
            yield row


def ours(crowd: Crowd, method: str, iterations: int, dtype: str) -> np.ndarray:
    """The posterior after exactly so many E-steps; an estimator would stop where it has settled."""
    problem = JointEM(votes_of(crowd.labels), CHANNELS[method], dtype=getattr(torch, dtype))
    run = run_em(problem, max_iter=iterations, tol=-np.inf)
    return run.posterior.double().numpy()


def _explained(crowd: Crowd, iterations: int, theirs: np.ndarray) -> dict[str, float]:
    """Both against the plain program, each under its own rule for rows that no vote informs."""
    even = dawid_skene(crowd.labels, iterations)
    used = dawid_skene(crowd.labels, iterations, like_peer=True)
    return {
        "ours, our rule": _gap(ours(crowd, "DawidSkene", iterations, "float64"), even),
        "crowd-kit, its rule": _gap(theirs, used),
    }


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """What the table comes to."""
    rows = [row for row in rows if "float64" in row]
    alike = [row for row in rows if "ours, our rule" not in row]
    other = [row for row in rows if "ours, our rule" in row]
    crowds = {row["crowd"] for row in rows} - {row["crowd"] for row in other}
    worst = max((max(row["float64"], row["float32"]) for row in alike), default=0.0)
    text = (
        f"Largest difference of any posterior of any task and class; asked for: below {TOLERANCE:g}. "
        f"Both methods agree on {len(crowds)} crowds at all iterations, and one coin everywhere; the worst of "
        f"these differences is {worst:.1e}."
    )
    if other:
        apart = max(max(row["ours, our rule"], row["crowd-kit, its rule"]) for row in other)
        text += (
            f"\n\nWhere Dawid-Skene differs, an annotator has met no task that may be of some class: no vote informs "
            f"that row of the confusion matrix, the likelihood is flat in it, and a floor of {FLOOR:g} decides. Ours is "
            f"added to the counts of all labels (a Dirichlet prior, so the row is even); crowd-kit clips the counts of "
            f"those labels only which that annotator has used, so the vote of one who used a single label counts as "
            f"*certain* under every class never met. A plain program (`benchmarks/reference.py`) gives our posteriors "
            f"with our rule and theirs with their rule: the last two columns, at most {apart:.1e}."
        )
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crowds", nargs="*", default=CLASSES, help="names of folders (default: all)")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    if peer_python() is None:
        raise SystemExit(NEEDED)
    rows: list[dict[str, Any]] = []
    for crowd in class_crowds(tuple(asked.crowds)):
        print(crowd.name, file=sys.stderr, flush=True)
        rows += compare(crowd)
    out = {"out": None} if asked.dry else {}
    title = "Posteriors against crowd-kit 1.4.2 at equal iterations"
    publish("equality", title, rows, notes=summary(rows), **out)


if __name__ == "__main__":
    main()
