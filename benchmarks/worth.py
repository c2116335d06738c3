"""What is found out about annotators beyond their accuracy: planted copying pairs, and planted drift."""

from __future__ import annotations

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np

import manyhands as mh
from manyhands.errors import ConvergenceWarning

from .tables import RESULTS, publish

__all__ = ["Shape", "copying_scores", "drift_scores", "drifting_crowd", "main", "named_pairs"]

ALARMS = 0.05


class Shape(NamedTuple):
    """A crowd in which each two annotators share about a hundred tasks."""

    name: str
    tasks: int
    annotators: int
    redundancy: int


DENSE, SPARSE = Shape("everybody does all", 100, 20, 20), Shape("5 of 40 a task", 6400, 40, 5)
THIN = Shape("3 of 20 a task", 4444, 20, 3)
COPYING_NOTES = """
Crowds of `simulate("copying")`: a third of the annotators, of accuracies from .5 to .95, copy another one's answer with
the chance *copy*; every pair shares about 100 tasks. Named are the pairs with q <= .05 in `result.copying()` of
Dawid-Skene as `aggregate` takes it. *Alarms* are named pairs who do not copy, of all pairs who do not. *Copied* is the
share of copies as estimated for the true pairs that were named; *covered* how often its 95% interval holds the
true one. Means over the seeds, with standard errors. The last rows have nobody who copies; in `difficulty` some tasks are
hard for all, which makes all agree.
"""
DRIFT_NOTES = """
40 annotators of accuracies from .7 to .95, four classes, five answers a task, in random order of time. *Drifting* are
ten of them whose accuracy falls by *fall* half-way through. Named are those with q <= .05 in `result.drift()`. *Alone*
is the share of those who do not drift with p <= .05, each looked at by itself (nominal .05). *Any alarm* is the share
of the crowds in which anybody is named who does not drift: nominally .05 where nobody drifts; beside ten who do, q allows
for one false name in twenty. *Hard late*: in the second half of the time every fourth
task is a guess for everybody, which is nobody's drift. *Covered*: how often the 95% interval of the change holds the
true one (of those who do not drift: none). Means over the seeds, with standard errors.
"""


def default_result(labels: mh.Annotations) -> mh.Result:
    """What `aggregate` makes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mh.DawidSkene(shared=10.0).fit(labels).result_


def named_pairs(result: mh.Result) -> set[frozenset[str]]:
    """The pairs that are named."""
    pairs = result.copying()
    return {frozenset(row) for row in pairs.filter(pairs["q"] <= ALARMS).select("one", "two").rows()}


def copying_scores(shape: Shape, classes: int, copy: float, seed: int) -> dict[str, float]:
    """One crowd: precision, recall, and how well the share of copies is told."""
    crowd = mh.simulate(
        "copying", n_tasks=shape.tasks, n_annotators=shape.annotators, n_classes=classes,
        redundancy=shape.redundancy, copy=copy, seed=seed,
    )  # fmt: skip
    true = {frozenset((f"a{j}", f"a{s}")) for j, s in enumerate(crowd.parameters["copies"]) if s >= 0}
    pairs = default_result(crowd.labels).copying()
    rows = [row for row in pairs.iter_rows(named=True) if row["q"] <= ALARMS]
    right = [row for row in rows if frozenset((row["one"], row["two"])) in true]
    # The greatest share that is looked at is .999.
    covered = [row["low"] <= min(copy, 0.999) <= row["high"] for row in right]
    return {
        "precision": len(right) / len(rows) if rows else np.nan, "recall": len(right) / len(true),
        "alarms": (len(rows) - len(right)) / (len(pairs) - len(true)),
        "copied": float(np.mean([row["copied"] for row in right])) if right else np.nan,
        "covered": float(np.mean(covered)) if covered else np.nan,
    }  # fmt: skip


def innocent_scores(crowd: str, shape: Shape, classes: int, seed: int) -> dict[str, float]:
    """One crowd in which nobody copies."""
    made = mh.simulate(
        crowd, n_tasks=shape.tasks, n_annotators=shape.annotators, n_classes=classes,
        redundancy=shape.redundancy, seed=seed,
    )  # fmt: skip
    pairs = default_result(made.labels).copying()
    return {"alarms": float((pairs["q"] <= ALARMS).mean())}  # type: ignore[arg-type]


def drifting_crowd(
    n: int, fall: float, seed: int, *, drifting: int = 10, people: int = 40, hard_late: bool = False
) -> tuple[mh.Annotations, np.ndarray]:
    """About n answers each, with a column `timestamp`; and the true change of each annotator's accuracy."""
    rng, classes, redundancy = np.random.default_rng(seed), 4, 5
    tasks = n * people // redundancy
    truth = rng.integers(0, classes, tasks)
    hard = rng.random(tasks) < 0.25
    task = np.repeat(np.arange(tasks), redundancy)
    who = rng.permuted(np.tile(np.arange(people), (tasks, 1)), axis=1)[:, :redundancy].ravel()
    moment = rng.random(tasks)[task] if hard_late else rng.random(len(task))
    accuracy = rng.uniform(0.7, 0.95, people)
    change = np.where(np.arange(people) < drifting, -fall, 0.0)
    chance = accuracy[who] + np.where(moment > 0.5, change[who], 0.0)
    if hard_late:
        chance = np.where((moment > 0.5) & hard[task], 1 / classes, chance)
    wrong = (truth[task] + rng.integers(1, classes, len(task))) % classes
    label = np.where(rng.random(len(task)) < chance, truth[task], wrong)
    return mh.Annotations.from_arrays(task, who, label, columns={"timestamp": moment}), change


def drift_scores(n: int, fall: float, hard_late: bool, seed: int) -> dict[str, float]:
    """One crowd: who is named."""
    labels, change = drifting_crowd(n, fall, seed, hard_late=hard_late, drifting=10 if fall else 0)
    table = default_result(labels).drift()
    who = np.array(table["annotator"].to_list(), dtype=int)
    named = (table["q"].fill_null(1.0) <= ALARMS).to_numpy()
    found, low, high = (table[name].to_numpy() for name in ("change", "low", "high"))
    true, still = change[who], change[who] == 0
    alone = (low > 0) | (high < 0)
    covered = (low <= true) & (true <= high)
    drifting = ~still
    return {
        "recall": float(named[drifting].mean()) if drifting.any() else np.nan,
        "precision": float(drifting[named].mean()) if named.any() and drifting.any() else np.nan,
        "alone": float(alone[still].mean()), "any alarm": float(named[still].any()),
        "change": float(found[drifting].mean()) if drifting.any() else np.nan,
        "covered": float(covered[drifting].mean()) if drifting.any() else float(covered[still].mean()),
    }  # fmt: skip


def over_seeds(rows: list[dict[str, float]]) -> dict[str, str]:
    """Mean ± standard error of each figure, nan left out."""
    told = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    known = {name: values[~np.isnan(values)] for name, values in told.items()}
    return {
        name: f"{v.mean():.3f} ± {v.std(ddof=1) / np.sqrt(len(v)):.3f}" if len(v) > 1 else "-"
        for name, v in known.items()
    }


def copying(seeds: int) -> list[dict[str, Any]]:
    """The table of copying."""
    rows: list[dict[str, Any]] = []
    for shape in (DENSE, SPARSE, THIN):
        for classes in (2, 4):
            for copy in (0.3, 0.5, 0.8, 1.0):
                scores = [copying_scores(shape, classes, copy, seed) for seed in range(seeds)]
                rows.append({"crowd": shape.name, "classes": classes, "copy": copy} | over_seeds(scores))
    for crowd in ("confusion", "difficulty"):
        for shape in (DENSE, SPARSE):
            scores = [innocent_scores(crowd, shape, 4, seed) for seed in range(seeds)]
            rows.append({"crowd": f"{crowd}, {shape.name}", "classes": 4, "copy": 0.0} | over_seeds(scores))
    return rows


def drift(seeds: int) -> list[dict[str, Any]]:
    """The table of drift."""
    cases = [
        (n, fall, late) for n in (50, 100, 200, 400) for fall in (0.0, 0.1, 0.2, 0.3) for late in (False,)
    ]
    cases += [(200, fall, True) for fall in (0.0, 0.2)]
    return [
        {"answers each": n, "fall": fall, "hard late": "yes" if late else ""}
        | over_seeds([drift_scores(n, fall, late, seed) for seed in range(seeds)])
        for n, fall, late in cases
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    out: dict[str, Any] = {"out": None if asked.dry else RESULTS}
    publish(
        "copying",
        f"Copying pairs found ({asked.seeds} seeds)",
        copying(asked.seeds),
        notes=COPYING_NOTES,
        **out,
    )
    publish("drift", f"Drift found ({asked.seeds} seeds)", drift(asked.seeds), notes=DRIFT_NOTES, **out)


if __name__ == "__main__":
    main()
