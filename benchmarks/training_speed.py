"""CPU seconds an epoch and peak memory of networks from disagreeing labels, ours and the peers' in one run."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manyhands import simulate

from .peers import NEEDED, peer_python
from .processes import fresh
from .tables import RESULTS, publish

__all__ = ["FULL", "QUICK", "Run", "Setup", "best", "main", "measure", "verdict", "write_crowd"]

PULL = 0.35  # how far classes' features lie apart, of their noise: a network of this size can learn them
RATE = 1e-2


class Setup(NamedTuple):
    """What everybody trains on, and how."""

    tasks: int = 10_000
    features: int = 128
    classes: int = 8
    redundancy: int = 3
    batch: int = 256
    epochs: int = 12


class Run(NamedTuple):
    """Whose, which, and for how many annotators; batches: only so many, where an epoch takes a minute."""

    tool: str
    system: str
    annotators: int
    batches: int | None = None

    def __str__(self) -> str:
        return f"{self.tool} {self.system}, {self.annotators} annotators"


OURS, CROWDKIT, PEERANNOT = "manyhands", "crowd-kit", "peerannot"
FULL = (
    Run(OURS, "soft", 50),
    *(Run(OURS, "speelfc", r) for r in (50, 500, 5000, 50_000)),
    *(Run(OURS, "crowd-layer", r) for r in (50, 500, 5000, 50_000)),
    *(Run(CROWDKIT, "crowd-layer", r) for r in (50, 500, 5000, 50_000)),
    *(Run(PEERANNOT, "crowd-layer", r, b) for r, b in ((50, None), (500, 20), (5000, 2))),
    *(Run(OURS, "conal", r) for r in (50, 500, 5000, 50_000)),
    *(Run(CROWDKIT, "conal", r) for r in (50, 500, 5000)),  # at 50 000 its identity matrix alone is 10 GB
    *(Run(PEERANNOT, "conal", r, b) for r, b in ((50, None), (500, 10), (5000, 2))),
)
QUICK = tuple(
    Run(tool, system, 50)
    for tool, system in (
        (OURS, "soft"),
        (OURS, "speelfc"),
        (OURS, "crowd-layer"),
        (OURS, "conal"),
        (CROWDKIT, "crowd-layer"),
        (CROWDKIT, "conal"),
    )
)
TURNS = 3  # fresh processes of each, taken in turn, so that a busy minute of the machine hits all alike
PATIENCE = 300.0

NOTES = """
10 000 tasks, 128 features, 8 classes, 3 labels a task, batches of 256 tasks (768 labels), one thread, the network
128-128-8 with ReLU and no dropout, Adam, rate .01 for network and layer, seed 0. CPU seconds of an epoch (shuffle, look-up,
forward, backward, step): the least of all epochs of three fresh processes taken in turn. Ours is `fit` as a user calls it, with the
defaults of the system but for network, batch and rate; theirs are their modules in the shortest loop there is. *soft* is our network
trained on soft labels (the majority's shares). CoNAL: ours carries the paper's term that keeps the matrices apart and gates
on the task's features; crowd-kit's leaves that term out and gates on the hidden layer through two more linear maps;
peerannot's has the term. *extra MB*: what the peak of resident memory rises by from the loaded crowd to the end of
training. *table MB*: the channel's parameters; training holds them and Adam's two moments of them. Accuracy: on the training tasks,
after so many epochs: they all do learn. A peerannot line of few batches (R of 500 and more) is reckoned up to an epoch.
"""


def write_crowd(setup: Setup, annotators: int, folder: Path, seed: int = 0) -> Path:
    """Features, and the answers as [tasks, redundancy] of annotators and of labels."""
    crowd = simulate(
        "confusion", n_tasks=setup.tasks, n_annotators=annotators, n_classes=setup.classes,
        redundancy=setup.redundancy, seed=seed,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    centres = PULL * rng.normal(size=(setup.classes, setup.features))
    x = rng.normal(size=(setup.tasks, setup.features)) + centres[crowd.truth]
    shape = (setup.tasks, setup.redundancy)
    labels = crowd.labels
    order = np.argsort(labels.task, kind="stable")
    path = folder / f"crowd-{annotators}.npz"
    np.savez(
        path, features=x.astype(np.float32), truth=crowd.truth,
        annotator=labels.annotator[order].astype(np.int64).reshape(shape),
        label=np.asarray(labels.answers.values)[order].astype(np.int64).reshape(shape),
        classes=setup.classes, annotators=annotators,
    )  # fmt: skip
    return path


def measure(run: Run, setup: Setup, crowd: Path) -> dict[str, Any]:
    """One fresh process; an error comes back as {"error": its text}."""
    job: dict[str, Any] = {"crowd": str(crowd), "system": run.system}
    job |= {"batch": setup.batch, "epochs": setup.epochs, "rate": RATE}
    if run.tool == OURS:
        return fresh("benchmarks.our_training_worker", job, timeout=PATIENCE)
    job["annotators"] = run.annotators
    if run.tool == CROWDKIT:
        return fresh("benchmarks.crowdkit_training_worker", job, python=peer_python() or "", timeout=PATIENCE)
    if run.batches is not None:
        job |= {"batches": run.batches, "epochs": 2}
    return fresh("benchmarks.peerannot_training_worker", job, python=_peerannot() or "", timeout=PATIENCE)


def best(turns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The least time, and the most memory, of several turns; an error only where all have one."""
    done = [turn for turn in turns if "error" not in turn]
    if not done:
        return turns[0]
    extra = max(turn["peak_mb"] - turn["loaded_mb"] for turn in done)
    return min(done, key=lambda turn: turn["epoch_cpu"]) | {"extra_mb": extra}


def rows_of(found: dict[Run, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row a run; ratios are to the row that it is to be compared with."""
    for run, answer in found.items():
        row: dict[str, Any] = {"system": run.system, "tool": run.tool, "annotators": run.annotators}
        row["ms/epoch"] = answer.get("epoch_cpu", float("nan")) * 1e3
        for name, key in (("extra MB", "extra_mb"), ("table MB", "table_mb"), ("peak MB", "peak_mb")):
            row[name] = answer.get(key, float("nan") if key != "table_mb" else None)
        row["accuracy"] = answer.get("accuracy", float("nan"))
        if "error" in answer:
            row["remark"] = answer["error"]
        yield row


def verdict(found: dict[Run, dict[str, Any]]) -> str:
    """What was asked for, and what came out; a line of which a part was not measured is left out."""
    cpu = {run[:3]: answer["epoch_cpu"] for run, answer in found.items() if "error" not in answer}
    asked = (
        ("CrowdLayer, seconds against crowd-kit's at R = 50", (OURS, "crowd-layer", 50), (CROWDKIT, "crowd-layer", 50), 1.0),
        ("CrowdLayer, seconds at R = 50 000 against R = 50", (OURS, "crowd-layer", 50_000), (OURS, "crowd-layer", 50), 2.0),
        ("SpeeLFC, seconds against soft labels, R = 50", (OURS, "speelfc", 50), (OURS, "soft", 50), 1.5),
        ("CoNAL, seconds against crowd-kit's at R = 50", (OURS, "conal", 50), (CROWDKIT, "conal", 50), 1 / 3),
        ("CoNAL, seconds against crowd-kit's at R = 5000", (OURS, "conal", 5000), (CROWDKIT, "conal", 5000), 1 / 8),
    )  # fmt: skip
    lines = []
    for what, ours, other, most in asked:
        if ours in cpu and other in cpu:
            ratio = cpu[ours] / cpu[other]
            met = "met" if ratio <= most else "**not met**"
            lines.append(f"- {what}: {ratio:.2f} (asked for: at most {most:.2f}), {met}.")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="50 annotators, a tenth of the tasks, printed only"
    )
    parser.add_argument("--only", nargs="*", help="runs of these tools or systems, printed only")
    parser.add_argument("--turns", type=int, default=TURNS, help="fresh processes of each")
    parser.add_argument("--epochs", type=int, default=Setup().epochs)
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    setup = Setup(tasks=1000 if asked.quick else 10_000, epochs=asked.epochs)
    runs = _present(QUICK if asked.quick else FULL)
    if asked.only:
        runs = [run for run in runs if {run.tool, run.system} & set(asked.only)]
    found = _all(runs, setup, asked.turns)
    out: dict[str, Any] = {"out": None if asked.quick or asked.only or asked.dry else RESULTS}
    notes = f"{NOTES.strip()}\n\n{verdict(found)}"
    publish(
        "training_speed", "Training: an epoch, ours and the peers'", list(rows_of(found)), notes=notes, **out
    )


def _present(runs: Iterable[Run]) -> list[Run]:
    """Runs of the tools that are here."""
    away = {CROWDKIT: NEEDED} if peer_python() is None else {}
    if _peerannot() is None:
        away[PEERANNOT] = (
            "needs peerannot in an environment of its own: set MANYHANDS_PEERANNOT to its python"
        )
    for tool, why in away.items():
        print(f"{tool}: {why}", file=sys.stderr)
    return [run for run in runs if run.tool not in away]


def _all(runs: Sequence[Run], setup: Setup, turns: int) -> dict[Run, dict[str, Any]]:
    taken: dict[Run, list[dict[str, Any]]] = {run: [] for run in runs}
    with tempfile.TemporaryDirectory() as folder:
        crowds = {r: write_crowd(setup, r, Path(folder)) for r in {run.annotators for run in runs}}
        for turn in range(turns):
            for run in runs:
                if turn and run.tool == PEERANNOT and run.batches is not None:
                    continue  # a minute each, and no close race
                print(f"turn {turn + 1}: {run}", file=sys.stderr, flush=True)
                taken[run].append(measure(run, setup, crowds[run.annotators]))
    return {run: best(answers) for run, answers in taken.items()}


def _peerannot() -> Path | None:
    place = os.environ.get("MANYHANDS_PEERANNOT")
    return Path(place) if place and Path(place).exists() else None


if __name__ == "__main__":
    main()
