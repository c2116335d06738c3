"""What choosing questions saves: labels needed on real crowds, against asking in turn and by doubt."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from manyhands import DawidSkene

from .real_crowds import Crowd, class_crowds
from .replay import POLICIES, Curve, curve, labels_needed
from .scores import score
from .tables import RESULTS, publish

__all__ = ["QUALIFYING", "measured", "run"]

# All crowds of classes with a truth and ten labels a task or more on average (zencrowd: with its repeated answers).
QUALIFYING = (
    "bluebirds", "dog", "rte", "sentiment-500", "temporal-order", "weather-sentiment", "wsd", "zencrowd",
)  # fmt: skip
SHARE = 0.1  # of the tasks, asked between two fits
REACHED = 0.95
RESAMPLES = 500
NOTES = f"""
One label a task to begin with, then batches of a tenth of the tasks; after each, Dawid-Skene (right=4, wrong=1,
class_prior="uniform") on what was revealed. An annotator can only be asked what that annotator answered. *needed*: labels in
all until the mean accuracy over the seeds has made {REACHED:.0%} of the way from one label a task (*one*) to all labels (*all*).
*ratio*: ours over round-robin, with its bootstrap standard error over seeds; *beyond the first*: the same without
the label a task that everybody begins with. Round-robin: the task with the fewest labels, whoever comes; uncertainty: the
task of greatest entropy, whoever comes; information: task and annotator by `mh.assign`'s expected gain. Every crowd of
classes with ten labels a task or more is here. The model was chosen among ten on simulated crowds, after the default of
`aggregate` was seen to fail here; its class prior has seen these truths (docs/assignment.md).
"""


def model() -> DawidSkene:
    """Anchored: with a label a task, nothing but the prior says what is right."""
    return DawidSkene(right=4, wrong=1, class_prior="uniform", max_iter=50, tol=1e-4)


def measured(crowd: Crowd, seeds: int) -> dict[str, Any]:
    """One crowd, all policies."""
    everything = score(model().fit(crowd.labels).result_.chances, crowd.truth)["accuracy"]
    curves = {
        name: [curve(crowd, policy, seed, SHARE, model()) for seed in range(seeds)]
        for name, policy in POLICIES.items()
    }
    needed = _needed(curves, np.arange(seeds), everything)
    rng, n = np.random.default_rng(0), crowd.labels.n_tasks
    drawn = [_needed(curves, rng.integers(seeds, size=seeds), everything) for _ in range(RESAMPLES)]
    ratio = needed["information"] / needed["round-robin"]
    return {
        "crowd": crowd.name, "tasks": n, "labels a task": crowd.labels.n_answers / n,
        "one": _mean(curves["round-robin"], np.arange(seeds)).accuracy[0], "all": everything,
        **{f"needed: {name}": round(value) if value == value else None for name, value in needed.items()},
        "ratio": ratio, "se": float(np.nanstd([d["information"] / d["round-robin"] for d in drawn])),
        "beyond the first": (needed["information"] - n) / (needed["round-robin"] - n),
        "to uncertainty": needed["information"] / needed["uncertainty"],
    }  # fmt: skip


def _needed(curves: dict[str, list[Curve]], seeds: np.ndarray, everything: float) -> dict[str, float]:
    """Labels that each policy needs, from the mean curves of these seeds."""
    means = {name: _mean(many, seeds) for name, many in curves.items()}
    one = means["round-robin"].accuracy[0]  # all policies begin alike
    goal = one + REACHED * (everything - one)
    return {name: labels_needed(mean, goal) for name, mean in means.items()}


def _mean(curves: list[Curve], seeds: np.ndarray) -> Curve:
    return Curve(curves[0].labels, np.mean([curves[seed].accuracy for seed in seeds], axis=0))


def run(crowds: tuple[str, ...], seeds: int, **out: Any) -> None:
    """The table of all crowds."""
    rows = []
    for crowd in class_crowds(crowds):
        print(crowd.name, file=sys.stderr, flush=True)
        rows.append(measured(crowd, seeds))
    notes = f"{seeds} seeds.{NOTES}"
    publish("assignment", "Labels needed, by who is asked what", rows, notes=notes, **out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--crowds", nargs="*", default=list(QUALIFYING))
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    run(tuple(asked.crowds), asked.seeds, out=None if asked.dry else RESULTS)


if __name__ == "__main__":
    main()
