"""A small crowd with features, as files: labels, features.npz with tasks.csv beside it, truth."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

N = 60


def put(folder: Path) -> Path:
    """Two classes a line apart; three annotators, right in 9 of 10; the last third of tasks is a test."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N)
    X = (rng.normal(size=(N, 3)) + 3 * truth[:, None] * [1, 0, -1]).astype(np.float32)
    names = [f"t{i}" for i in range(N)]
    splits = ["train" if i < 40 else "test" for i in range(N)]
    folder.mkdir(exist_ok=True)
    said = [
        (names[i], who, ["cat", "dog"][truth[i] ^ (rng.random() < 0.1)])
        for i in rng.permutation(40)
        for who in "abc"
    ]
    write(folder / "annotations.csv", ("task", "annotator", "label"), said)
    write(folder / "tasks.csv", ("task", "split"), list(zip(names, splits, strict=True)))
    write(
        folder / "truth.csv",
        ("task", "label"),
        [(n, ["cat", "dog"][z]) for n, z in zip(names, truth, strict=True)],
    )
    np.savez(folder / "features.npz", X=X)
    return folder


def write(path: Path, header: tuple, rows: list) -> Path:
    """A csv file."""
    with open(path, "w", newline="") as handle:
        csv.writer(handle).writerows([header, *rows])
    return path


def features_of(folder: Path) -> dict[str, np.ndarray]:
    """By task, read by numpy."""
    with open(folder / "tasks.csv", newline="") as handle:
        names = [row["task"] for row in csv.DictReader(handle)]
    return dict(zip(names, np.load(folder / "features.npz")["X"], strict=True))
