"""The label model beside Snorkel's own, on crowds of few and of many annotators."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from manyhands import Annotations, LabelModel, MajorityVote, simulate

from .processes import fresh
from .real_crowds import class_crowds, data_folder
from .scores import score
from .tables import publish

__all__ = ["NEEDED", "compare", "main", "snorkel_python"]

NEEDED = "needs snorkel in an environment of its own: set MANYHANDS_SNORKEL to its python"
REAL = ("bluebirds", "rte", "temporal-order", "dog")
EPOCHS = 500
NOTES = """
Accuracy, ties shared. Snorkel 0.10: LabelModel, 500 epochs, seed 0, its other defaults; both are given an even prior of the classes.
*few*: 8 simulated annotators with a confusion matrix each, all answer everything, 2000 tasks.
"""


def snorkel_python() -> Path | None:
    """The python of snorkel's environment; None where there is none."""
    place = os.environ.get("MANYHANDS_SNORKEL")
    return Path(place) if place and Path(place).exists() else None


def compare(name: str, labels: Annotations, truth: np.ndarray) -> dict[str, Any]:
    """A row: majority, ours, theirs."""
    row: dict[str, Any] = {"crowd": name, "majority": _accuracy(MajorityVote(), labels, truth)}
    row["label-model"] = _accuracy(LabelModel(class_prior="uniform"), labels, truth)
    row["snorkel"] = score(_theirs(labels), truth)["accuracy"]
    return row


def _accuracy(model: Any, labels: Annotations, truth: np.ndarray) -> float:
    return score(model.fit(labels).result_.chances, truth)["accuracy"]


def _theirs(labels: Annotations) -> np.ndarray:
    matrix = np.full((labels.n_tasks, labels.n_annotators), -1)
    matrix[labels.task, labels.annotator] = labels.answers.values
    with tempfile.TemporaryDirectory() as folder:
        votes, out = Path(folder, "votes.npy"), Path(folder, "posterior.npy")
        np.save(votes, matrix)
        job = {"votes": str(votes), "out": str(out), "n_classes": labels.n_classes, "epochs": EPOCHS}
        even = [1 / labels.n_classes] * labels.n_classes
        said = fresh("benchmarks.snorkel_worker", job | {"balance": even}, python=snorkel_python() or "")
        if "error" in said:
            raise SystemExit(f"snorkel: {said['error']}")
        posterior: np.ndarray = np.load(out)
        return posterior


def crowds() -> Iterator[tuple[str, Annotations, np.ndarray]]:
    """Simulated ones, and the real ones where they are."""
    for k in (2, 4):
        made = simulate("confusion", n_tasks=2000, n_annotators=8, n_classes=k, redundancy=8, seed=1)
        yield f"few, {k} classes", made.labels, np.asarray(made.truth)
    if data_folder() is not None:
        yield from class_crowds(REAL)


def main() -> None:
    if snorkel_python() is None:
        raise SystemExit(NEEDED)
    rows = [compare(*crowd) for crowd in crowds()]
    publish("label-model-snorkel", "The label model beside Snorkel's", rows, notes=NOTES)


if __name__ == "__main__":
    main()
