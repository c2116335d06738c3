"""Ordered classes: ordinal against nominal Dawid-Skene, on adult content of web sites and on simulated crowds.

    python -m benchmarks.ordinal [--seeds 20]

Adult content: 11040 sites, 825 annotators, truth of 333; whole, and thinned to at most so many answers a site.
Simulated: five ordered classes, p(l | k) in proportion to exp(-|k - l| / reach of the annotator): not quite the model's own form.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from manyhands import Annotations, DawidSkene, MajorityVote, OrdinalDawidSkene, read, simulate
from manyhands.errors import ConvergenceWarning
from manyhands.metrics import accuracy, distance, log_loss
from manyhands.results.tables import decisions

from .many_labels import thinned
from .real_crowds import NEEDED, data_folder, table_of, truth_of
from .scores import CLIP
from .tables import publish

__all__ = ["main"]

MODELS: dict[str, Any] = {
    "majority": MajorityVote(),
    "dawid-skene": DawidSkene(),
    "dawid-skene-map": DawidSkene(shared=10),
    "ordinal-dawid-skene": OrdinalDawidSkene(),
}
RATINGS = ("G", "P", "R", "X")
SIMULATED = {
    "simulated, 3 answers a task, 20 annotators": {"n_tasks": 500, "n_annotators": 20, "redundancy": 3},
    "simulated, 3 answers a task, 150 annotators": {"n_tasks": 500, "n_annotators": 150, "redundancy": 3},
    "simulated, 7 answers a task, 20 annotators": {"n_tasks": 500, "n_annotators": 20, "redundancy": 7},
}
NOTES = """
Mean and standard error: over subsets of the answers or over simulated crowds (their number in the column n); of the whole of adult content over
1000 bootstrap samples of its 333 tasks with truth. MAE is in classes, of the likeliest class; `MAE by cost` decides by least expected distance
(cost="absolute"). Log-loss in nats, no task charged more than 13.8. Nothing was tuned: each method has its defaults.
"""


def crowds(seeds: int) -> Iterator[tuple[str, list[tuple[Annotations, np.ndarray]]]]:
    """Name, and tables with the codes of their truths (-1 unknown)."""
    table = read(table_of("adult-content"), kind="ordinal", classes=RATINGS, repeats="first")
    known = dict(truth_of("adult-content").select("task", "label").iter_rows())
    truth = np.array([RATINGS.index(known[t]) if t in known else -1 for t in map(str, table.tasks)])
    yield "adult-content, whole", [(table, truth)]
    for redundancy in (2, 4):
        yield (
            f"adult-content, {redundancy} answers a site",
            [(thinned(table, redundancy, seed), truth) for seed in range(seeds)],
        )
    for name, options in SIMULATED.items():
        made = [simulate("ordinal", n_classes=5, seed=seed, **options) for seed in range(seeds)]  # type: ignore[arg-type]
        yield name, [(crowd.labels, crowd.truth) for crowd in made]


def figures(model: Any, labels: Annotations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances, the likeliest class, and the class of least expected distance of every task."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = model.fit(labels).result_
    return result.chances, decisions(result)[0], decisions(result, "absolute")[0]


def scores(chances: np.ndarray, best: np.ndarray, cheap: np.ndarray, truth: np.ndarray) -> list[float]:
    """Accuracy, both distances, log-loss."""
    return [
        accuracy(best, truth),
        distance(best, truth),
        distance(cheap, truth),
        log_loss(chances, truth, clip=CLIP),
    ]


NAMES = ("accuracy", "MAE", "MAE by cost", "log-loss")


def row(
    crowd: str, name: str, model: Any, tables: Sequence[tuple[Annotations, np.ndarray]]
) -> dict[str, Any]:
    """Mean and standard error of one method."""
    if len(tables) == 1:
        labels, truth = tables[0]
        parts, told = figures(model, labels), np.flatnonzero(truth >= 0)
        rng = np.random.default_rng(0)
        drawn = [rng.choice(told, len(told)) for _ in range(1000)]
        means = scores(*parts, truth)
        errors = np.std([scores(*(p[d] for p in parts), truth[d]) for d in drawn], axis=0)
    else:
        found = np.array([scores(*figures(model, labels), truth) for labels, truth in tables])
        means, errors = found.mean(axis=0).tolist(), found.std(axis=0, ddof=1) / np.sqrt(len(found))
    print(crowd, name, file=sys.stderr, flush=True)
    shown = {n: f"{m:.4f} ± {e:.4f}" for n, m, e in zip(NAMES, means, errors, strict=True)}
    return {"crowd": crowd, "n": len(tables), "method": name, **shown}


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    rows = [
        row(crowd, name, model, tables)
        for crowd, tables in crowds(options.seeds)
        for name, model in MODELS.items()
    ]
    publish("ordinal", "Ordered classes: ordinal against nominal Dawid-Skene", rows, notes=NOTES)


if __name__ == "__main__":
    main()
