"""CPU seconds of a whole fit of every aggregator, beside Dawid-Skene's, on one simulated crowd."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from manyhands import Annotations, method, simulate
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning

from .synthetic import Size
from .tables import RESULTS, publish

__all__ = ["main", "rows_of"]

BIG = Size(100_000, 1_000, 4, 5)
SMALL = Size(2_000, 100, 4, 5)
TURNS = 3
BASE = "dawid-skene"
NOTES = """
Tasks x annotators x classes x labels a task: {size}, a confusion matrix an annotator, seed 0. CPU seconds of `fit` on
one thread with the defaults, from a table in memory to the result; the least of {turns} fits. *Rounds* are EM's
steps where there is EM. *Accuracy* is on this crowd, which is Dawid-Skene's own kind.
"""


def rows_of(
    names: Sequence[str], labels: Annotations, truth: np.ndarray, turns: int
) -> Iterator[dict[str, Any]]:
    """A row a method."""
    base = float("nan")
    for name in names:
        spent, model = min((_fit(name, labels) for _ in range(turns)), key=lambda turn: turn[0])
        base = spent if name == BASE else base
        right = float((model.result_.posterior.best() == truth).mean())
        row: dict[str, Any] = {"method": name, "CPU s": spent, "times Dawid-Skene": spent / base}
        yield row | {"rounds": len(model.result_.history) or None, "accuracy": right}


def _fit(name: str, labels: Annotations) -> tuple[float, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        model = method(name).make().fit(labels)
        return time.process_time() - start, model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small crowd, printed only")
    parser.add_argument("--methods", nargs="*", help="only these, and Dawid-Skene; printed only")
    parser.add_argument("--turns", type=int, default=TURNS, help="fits a method, the least of which counts")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    size = SMALL if asked.quick else BIG
    crowd = simulate(
        "confusion", n_tasks=size.tasks, n_annotators=size.annotators, n_classes=size.classes,
        redundancy=size.redundancy, seed=0,
    )  # fmt: skip
    names = [m.name for m in methods_for("class") if not asked.methods or m.name in asked.methods]
    names = [BASE, *(name for name in names if name != BASE)]
    rows = list(rows_of(names, crowd.labels, np.asarray(crowd.truth), asked.turns))
    notes = NOTES.format(size=size, turns=asked.turns)
    out = None if asked.quick or asked.methods else RESULTS
    publish("rivals-speed", "Aggregators beside Dawid-Skene", rows, notes=notes, out=out)


if __name__ == "__main__":
    main()
