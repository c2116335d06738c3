"""Semi-LFC with 2000 unlabelled tasks and without: what do features alone teach?

    python -m benchmarks.unlabelled [--seeds 5] [--unlabelled 2000]

Few labelled tasks, by crowds; test accuracy on tasks of neither kind, mean and standard error over
seeds (crowd, split and training at once). Settings are the same throughout and were not tuned.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from manyhands import Annotations, SemiLFC, SpeeLFC, read
from manyhands.io import read_features

from .real_crowds import data_folder, table_of, truth_of
from .tables import publish

__all__ = ["Study", "main", "simulated"]

STEPS, SHORT, BATCH = 1200, 200, 64
SETTINGS: dict[str, Any] = {"latent": 8, "hidden": 64, "learning_rate": 1e-3, "batch_size": BATCH}


class Study(NamedTuple):
    """Features of labelled tasks, then of unlabelled ones; labels of the first; tasks to test on, with truths."""

    X: np.ndarray
    labels: Annotations
    test_X: np.ndarray
    test_truth: np.ndarray


def simulated(seed: int, unlabelled: int, labelled: int = 20, apart: float = 0.7) -> Study:
    """Three bell-shaped classes in 20 dimensions; two annotators, right on four answers of five."""
    rng = np.random.default_rng(seed)
    n = labelled + unlabelled + 1000
    truth, middle = rng.integers(0, 3, n), apart * rng.normal(size=(3, 20))
    X = (rng.normal(size=(n, 20)) + middle[truth]).astype(np.float32)
    said = np.where(
        rng.random((labelled, 2)) < 0.7, truth[:labelled, None], rng.integers(0, 3, (labelled, 2))
    )
    labels = Annotations.from_matrix(said, classes=[0, 1, 2])
    return Study(X[:-1000], labels, X[-1000:], truth[-1000:])


def sentiment(seed: int, unlabelled: int, labelled: int = 60, width: int = 20) -> Study:
    """Film reviews: the crowd's labels of a few, MiniLM's first principal components of all."""
    folder = table_of("sentiment-polarity").parent
    table, votes = read_features(folder / "features-minilm.npz"), read(table_of("sentiment-polarity"))
    truth = dict(truth_of("sentiment-polarity").select("task", "label").iter_rows())
    ids, splits = np.array([str(i) for i in table.ids]), np.array(table.splits)
    X = _components(np.asarray(table.X, dtype=np.float64), splits == "train", width)
    assert votes.classes is not None
    names = [str(name) for name in votes.classes]
    train = np.random.default_rng(seed).permutation(np.flatnonzero(splits == "train"))
    train = train[: labelled + unlabelled]
    rest = np.flatnonzero(splits != "train")
    codes = np.array([names.index(truth[i]) for i in ids[rest]])
    few = votes.align([type(votes.tasks[0])(i) for i in ids[train[:labelled]]], extra="drop")
    values = np.asarray(few.answers.values)
    labels = Annotations.from_arrays(few.task, few.annotator, values, classes=range(2), tasks=range(labelled))
    return Study(X[train], labels, X[rest], codes)


def _components(X: np.ndarray, train: np.ndarray, width: int) -> np.ndarray:
    X = X - X[train].mean(axis=0)
    _, _, axes = np.linalg.svd(X[train], full_matrices=False)
    return (X @ axes[:width].T).astype(np.float32)


STUDIES: dict[str, Callable[[int, int], Study]] = {"simulated, 20 labelled": simulated}
if data_folder() is not None:
    STUDIES["sentiment-polarity, 60 labelled"] = sentiment


def accuracies(study: Study, seed: int) -> Iterator[tuple[str, float]]:
    """Of each way to train, on the tasks to test."""
    n = len(study.labels)
    whole = study.labels.align(range(len(study.X)))
    settings = SETTINGS | {"random_state": seed}
    for name, model, X, labels in (
        ("unlabelled too", SemiLFC(epochs=_epochs(STEPS, len(study.X)), **settings), study.X, whole),
        ("without", SemiLFC(epochs=_epochs(STEPS, n), **settings), study.X[:n], study.labels),
        (f"without, {SHORT} steps", SemiLFC(epochs=_epochs(SHORT, n), **settings), study.X[:n], study.labels),
        (
            f"SpeeLFC, {SHORT} steps",
            SpeeLFC(epochs=_epochs(SHORT, n), random_state=seed),
            study.X[:n],
            study.labels,
        ),
    ):
        model.fit(X, labels)
        right = model.predict_proba(study.test_X).argmax(axis=1) == study.test_truth
        yield name, float(right.mean())


def _epochs(steps: int, n_tasks: int) -> int:
    return max(1, round(steps / -(-n_tasks // BATCH)))


def row_of(name: str, make: Callable[[int, int], Study], seeds: int, unlabelled: int) -> dict[str, Any]:
    """Means and standard errors, and those of the gain, which is of the same seeds."""
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        for way, accuracy in accuracies(make(seed, unlabelled), seed):
            found.setdefault(way, []).append(accuracy)
        print(name, seed, {k: v[-1] for k, v in found.items()}, file=sys.stderr, flush=True)
    best = np.maximum(found["without"], found[f"without, {SHORT} steps"])
    found["gain over the better"] = (np.array(found["unlabelled too"]) - best).tolist()
    row: dict[str, Any] = {"crowd": name, "seeds": seeds}
    for way, each in found.items():
        row[way], row[f"{way} se"] = float(np.mean(each)), float(np.std(each, ddof=1) / np.sqrt(seeds))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--unlabelled", type=int, default=2000, help="tasks that have features alone")
    asked = parser.parse_args()
    publish(
        "unlabelled",
        f"Semi-LFC with {asked.unlabelled} unlabelled tasks and without: test accuracy",
        [row_of(name, make, asked.seeds, asked.unlabelled) for name, make in STUDIES.items()],
        notes=f"{STEPS} steps of {BATCH} tasks or fewer, unless said. The gain is over the better of the two runs "
        "without, seed by seed, though which is better is known by the test's truth alone.",
    )


if __name__ == "__main__":
    main()
