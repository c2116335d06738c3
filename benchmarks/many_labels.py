"""Medical relations (many labels): LIA-ML against LIA one label at a time, Dawid-Skene and majorities.

    python -m benchmarks.many_labels [--subsets 20] [--redundancy 2,5,10] [--choose]

Sets of relations that a sentence states; each subset keeps at most `redundancy` answers a sentence, drawn at
random. "causes" is told by any of four relations (see RELATIONS); 929 sentences have an adjudicated truth of it,
606 one of "treats". All sentences and all relations go into LIA-ML; LIA and the others see one label at a time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from manyhands import LIA, LIAML, Annotations, DawidSkene, MajorityVote, ThresholdVote, split
from manyhands.errors import ConvergenceWarning

from .other_crowds import RELATIONS
from .real_crowds import NEEDED, data_folder, table_of, truth_of
from .tables import RESULTS, publish

__all__ = ["main"]

WIDE = (32,) * 4  # the paper's, for this crowd
CHOICES = {
    f"{rounds} x {steps} at {rate:g}": {
        "rounds": rounds,
        "steps": steps,
        "fine_tuning": steps,
        "learning_rate": rate,
    }
    for rounds, steps, rate in (
        (10, 50, 1e-3),
        (10, 50, 3e-3),
        (10, 100, 1e-3),
        (10, 100, 3e-3),
        (5, 200, 1e-3),
    )
}
CHOSEN: dict[str, Any] = {"rounds": 10, "steps": 100, "fine_tuning": 100, "learning_rate": 3e-3}


def relations() -> tuple[Annotations, np.ndarray, dict[str, np.ndarray]]:
    """Sets with the four relations of causes as one; features; truths, -1 where unknown."""
    folder = table_of("medical-relations").parent
    frame = pl.read_csv(table_of("medical-relations"), infer_schema=False).unique(
        ["task", "annotator"], keep="first", maintain_order=True
    )
    cause = set(RELATIONS["CAUSES"])
    sets = [[("CAUSES" if r in cause else r) for r in cell.split("|")] for cell in frame["label"]]
    labels = Annotations.from_arrays(
        frame["task"].to_list(), frame["annotator"].to_list(), [sorted(set(s)) for s in sets], kind="set"
    )
    ids = pl.read_csv(folder / "tasks.csv", infer_schema=False)["task"].to_list()
    x = np.load(folder / "features-minilm.npz")["X"].astype(np.float32)
    truths = truth_of("medical-relations").filter(pl.col("kind") == "adjudicated")
    known = {}
    for relation in RELATIONS:
        told = dict(truths.filter(pl.col("relation") == relation).select("task", "label").iter_rows())
        known[relation] = np.array([int(told.get(task, -1)) for task in ids])
    return labels.align(ids), x, known


def thinned(labels: Annotations, redundancy: int, seed: int) -> Annotations:
    """At most so many answers a task, drawn at random."""
    order = np.random.default_rng([redundancy, seed]).permutation(labels.n_answers)
    rank = np.empty(labels.n_answers, dtype=np.int64)
    task = labels.task[order]
    by_task = np.argsort(task, kind="stable")
    first = np.searchsorted(task[by_task], np.arange(labels.n_tasks))
    rank[order[by_task]] = np.arange(len(task)) - first[task[by_task]]
    return labels.where(rank < redundancy)


def column(labels: Annotations, name: str) -> Annotations:
    """One label of the sets, as no and yes."""
    return labels.of_label(name)


def counted(labels: Annotations) -> Iterator[tuple[str, str, np.ndarray]]:
    """Relation, system without features, chance of yes a task; a half is undecided."""
    pooled = DawidSkene(shared=10).fit(labels).predict_proba()[:, 1].reshape(labels.n_tasks, -1)
    for relation in RELATIONS:
        own = column(labels, relation)
        yield relation, "majority at .5", MajorityVote().fit(own).predict_proba()[:, 1]
        yield relation, "majority, held-out threshold", ThresholdVote().fit(own).predict_proba()[:, 1]
        yield relation, "dawid-skene-map", DawidSkene(shared=10).fit(own).predict_proba()[:, 1]
        yield relation, "dawid-skene-map, all labels pooled", pooled[:, _place(labels, relation)]


def trained(labels: Annotations, x: np.ndarray, seed: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """The same of the networks."""
    ml = LIAML(hidden=WIDE, random_state=seed, **CHOSEN).fit(x, labels)
    both, alone = ml.result_.chances[:, 1].reshape(len(x), -1), ml.predict_proba(x)
    for relation in RELATIONS:
        place = _place(labels, relation)
        lia = LIA(hidden=WIDE, random_state=seed, **CHOSEN).fit(x, column(labels, relation))
        yield relation, "LIA", lia.result_.chances[:, 1]
        yield relation, "LIA, network alone", lia.predict_proba(x)[:, 1]
        yield relation, "LIA-ML", both[:, place]
        yield relation, "LIA-ML, network alone", alone[:, place]


def _place(labels: Annotations, relation: str) -> int:
    assert labels.classes is not None
    return labels.classes.to_list().index(relation)


def figures(chance: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Accuracy and F1 of yes over the tasks with a truth; an undecided task counts as half of each."""
    told = truth >= 0
    chance, truth = chance[told], truth[told]
    yes = np.where(np.abs(chance - 0.5) < 1e-6, 0.5, chance > 0.5)
    hit = (yes * truth).sum()
    return {
        "accuracy": float(np.where(truth == 1, yes, 1 - yes).mean()),
        "F1": float(2 * hit / (yes.sum() + truth.sum())),
    }


def measure(subsets: range, redundancies: list[int], out: Path) -> None:
    """One line of JSON a subset, relation and system, so that a run goes on where it was stopped."""
    labels, x, known = relations()
    done = {(r["redundancy"], r["subset"]) for r in _lines(out)}
    for subset in subsets:
        for redundancy in redundancies:
            if (redundancy, subset) in done:
                continue
            kept = thinned(labels, redundancy, subset)
            print(redundancy, subset, file=sys.stderr, flush=True)
            with warnings.catch_warnings(), out.open("a", encoding="utf-8") as handle:
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = [
                    {"redundancy": redundancy, "subset": subset, "relation": relation, "system": system}
                    | figures(chance, known[relation])
                    for relation, system, chance in trained(kept, x, subset)
                ]
                handle.write("".join(json.dumps(row) + "\n" for row in found))


def choose(redundancy: int) -> None:
    """Which steps and rate predict held-out answers best: log-likelihood a yes or no, of each system."""
    labels, x, _ = relations()
    rows = []
    for name, setting in CHOICES.items():
        row: dict[str, Any] = {"rounds x steps, rate": name}
        seen, held = split(thinned(labels, redundancy, 0), 0.1, random_state=0)
        begun = time.process_time()
        row["LIA-ML"] = LIAML(hidden=WIDE, **setting).fit(x, seen).score(x, held)
        row["LIA-ML CPU s"] = time.process_time() - begun
        for relation in RELATIONS:
            begun = time.process_time()
            model = LIA(hidden=WIDE, **setting).fit(x, column(seen, relation))
            row[f"LIA {relation.lower()}"] = model.score(x, column(held, relation))
            row[f"CPU s {relation.lower()}"] = time.process_time() - begun
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    publish("many_labels_choice", f"Held-out answers at redundancy {redundancy}, log-likelihood a yes or no", rows,
            notes="A tenth of the answers of one subset held out; predicted from x alone. No truth was used.")  # fmt: skip


def table(out: Path) -> None:
    """Mean and standard error over subsets; what is merely counted is counted anew."""
    labels, _, known = relations()
    lines = [row for row in _lines(out) if row["system"].startswith("LIA")]
    for redundancy, subset in sorted({(r["redundancy"], r["subset"]) for r in lines}):
        lines += [
            {"redundancy": redundancy, "subset": subset, "relation": relation, "system": system}
            | figures(chance, known[relation])
            for relation, system, chance in counted(thinned(labels, redundancy, subset))
        ]
    frame = pl.DataFrame(lines)
    rows = []
    for (relation, system), part in frame.group_by(["relation", "system"], maintain_order=True):
        row: dict[str, Any] = {"relation": str(relation).lower(), "system": system}
        for (redundancy,), one in part.sort("redundancy").group_by(["redundancy"], maintain_order=True):
            for name in ("accuracy", "F1"):
                values = one[name].to_numpy()
                error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
                row[f"{name} at {redundancy}"] = f"{values.mean():.3f} ± {error:.3f}"
        rows.append(row)
    counts = frame.unique(["redundancy", "subset"]).group_by("redundancy").len().sort("redundancy").rows()
    publish("many_labels", "Medical relations: accuracy and F1 by redundancy", sorted(rows, key=lambda r: r["relation"]),
            notes=NOTES + f"\nSubsets: {', '.join(f'{n} at redundancy {r}' for r, n in counts)}.")  # fmt: skip


NOTES = """
Mean and standard error over random subsets of the answers (at most so many a sentence), against adjudicated truth: 929 sentences of causes, 606 of
treats; an undecided task counts half. LIA and LIA-ML have the paper's networks (4 layers of 32), 10 rounds of EM and fine-tuning, but steps of
3e-3 in place of 1000 of 1e-3 a round (LIA 100; LIA-ML an epoch, 160 to 180), chosen by held-out answers at redundancy 5 (many_labels_choice). At redundancy 2 a
held-out threshold can only ask for one yes or for two. The paper scores 14 classes at once (chance 1/14), so its figures do not compare. The runs lie in
many_labels_runs.jsonl; the command goes on from them.
"""


def _lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def main() -> None:
    """Measure what is missing, then print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--subsets", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first subset to measure")
    parser.add_argument("--redundancy", default="2,5,10")
    parser.add_argument(
        "--choose", action="store_true", help="settings by held-out answers, at the first redundancy"
    )
    parser.add_argument(
        "--runs", type=Path, default=RESULTS / "many_labels_runs.jsonl", help="where runs are kept"
    )
    options = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    redundancies = [int(r) for r in options.redundancy.split(",")]
    if options.choose:
        choose(redundancies[0])
        return
    measure(range(options.first, options.subsets), redundancies, options.runs)
    table(options.runs)


if __name__ == "__main__":
    main()
