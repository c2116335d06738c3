"""What a batch of questions costs: a million open tasks, a thousand annotators; and one answer, as it arrives."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

import manyhands as mh
from manyhands.assignment import Live
from manyhands.results import Result, TableEvidence
from manyhands.results.posterior import ClassPosterior

from .measure import peak_mb
from .tables import RESULTS, publish

__all__ = ["batches", "big_result", "updates"]

LIMIT_S = 5.0  # of one core, for a batch of 10 000
NOTES = f"""
Tasks that two annotators answered, all of them open; matrices with accuracies from Beta(6, 2). CPU seconds of one thread, from
a result in memory to the batch, the least of three turns; asked for: below {LIMIT_S:g}. *exact*: whether the batch is provably the
greedy choice among all pairs (1 000 million of them); where capacities bind, good annotators fill up and the bound no longer tells.
"""
ARRIVING = """
CPU milliseconds of one thread. *answer*: `Live.add`; *question*: `Live.ask`, the best of all tasks for one annotator;
*settle*: an EM step over everything; *partial_fit*: of Dawid-Skene with one answer more, until it has settled.
"""


def big_result(n_tasks: int, n_annotators: int, n_classes: int, seed: int = 0) -> Result:
    """Two labels a task, by matrices that are known."""
    rng = np.random.default_rng(seed)
    accuracy = rng.beta(6, 2, n_annotators)[:, None, None]
    table = (1 - accuracy) * rng.dirichlet(np.ones(n_classes), (n_annotators, n_classes)) + accuracy * np.eye(
        n_classes
    )
    truth, task = rng.integers(n_classes, size=n_tasks), np.repeat(np.arange(n_tasks), 2)
    who = (
        (rng.integers(n_annotators, size=n_tasks)[:, None] + [0, n_annotators // 2]) % n_annotators
    ).reshape(-1)
    label = (table[who, truth[task]].cumsum(axis=1) < rng.random(len(task))[:, None]).sum(axis=1)
    labels = mh.Annotations.from_arrays(
        task, who, np.minimum(label, n_classes - 1), classes=list(range(n_classes)),
        tasks=list(range(n_tasks)), annotators=list(range(n_annotators)),
    )  # fmt: skip
    rows = np.ascontiguousarray(np.log(table).transpose(0, 2, 1), dtype=np.float32)
    evidence = TableEvidence(rows, np.full(n_classes, -np.log(n_classes), dtype=np.float32))
    blank = ClassPosterior(np.empty((n_tasks, n_classes), dtype=np.float32))
    return Result("dawid-skene", labels, blank, evidence).infer(labels)


def batches(n_tasks: int, n_annotators: int, questions: int) -> list[dict[str, Any]]:
    """By classes and capacities."""
    rows = []
    for n_classes in (2, 3, 5):
        result = big_result(n_tasks, n_annotators, n_classes)
        for capacity in (None, 2 * questions // n_annotators):
            work = partial(mh.assign, result, questions, capacity=capacity)
            cpu, made = min((_timed(work) for _ in range(3)), key=lambda turn: turn[0])
            rows.append({
                "tasks": n_tasks, "annotators": n_annotators, "classes": n_classes, "questions": len(made),
                "capacity": "any" if capacity is None else capacity, "CPU s": cpu, "exact": made.exact,
                "peak MB": peak_mb(),
            })  # fmt: skip
    return rows


def updates() -> list[dict[str, Any]]:
    """One answer more, by size."""
    rows = []
    for n_tasks, n_annotators in ((2_000, 50), (20_000, 200), (200_000, 1000)):
        crowd = mh.simulate("confusion", n_tasks=n_tasks, n_annotators=n_annotators, redundancy=3, seed=0)
        model = mh.DawidSkene(right=2, wrong=1, tol=1e-4).fit(crowd.labels)
        live, names, classes = Live(model), crowd.labels.tasks[:300].to_list(), crowd.labels.classes
        assert classes is not None
        answer = _timed(lambda: [live.add(task, "new", classes[1]) for task in names])[0] / len(names)  # noqa: B023
        question = _timed(lambda: [live.ask("newer") for _ in range(100)])[0] / 100  # noqa: B023
        one = mh.Annotations.from_dict({names[0]: {"new": classes[1]}}, classes=classes.to_list())
        rows.append({
            "tasks": n_tasks, "annotators": n_annotators, "answers": crowd.labels.n_answers, "answer ms": 1e3 * answer,
            "question ms": 1e3 * question, "settle ms": 1e3 * _timed(live.settle)[0],
            "partial_fit ms": 1e3 * _timed(lambda: model.partial_fit(one))[0],  # noqa: B023
        })  # fmt: skip
    return rows


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of the size, printed only")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    out: dict[str, Any] = {"out": None if asked.quick else RESULTS}
    rows = batches(10_000, 100, 1000) if asked.quick else batches(1_000_000, 1000, 10_000)
    publish("assignment-speed", "A batch of questions", rows, notes=NOTES, **out)
    if not asked.quick:
        publish("assignment-live", "One answer more", updates(), notes=ARRIVING, **out)


if __name__ == "__main__":
    main()
