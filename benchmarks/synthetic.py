"""A seeded crowd of any size as a file: the same for us and for the peer."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from manyhands.simulation import simulate_blocks

__all__ = ["Files", "Size", "write_csv", "write_parquet"]


class Size(NamedTuple):
    """How many tasks, annotators, classes, and labels a task."""

    tasks: int
    annotators: int
    classes: int = 5
    redundancy: int = 5

    @property
    def labels(self) -> int:
        """All labels."""
        return self.tasks * self.redundancy

    def __str__(self) -> str:
        return f"{_short(self.tasks)} x {_short(self.annotators)} x {self.classes} x {self.redundancy}"


class Files(NamedTuple):
    """labels: task, annotator, label in columns of integers; truth: .npy of the true classes."""

    labels: Path
    truth: Path


def write_parquet(size: Size, folder: Path, seed: int = 0) -> Files:
    """Every annotator has a confusion matrix; no pair (task, annotator) comes twice."""
    files = Files(folder / f"labels-{size.tasks}.parquet", folder / f"truth-{size.tasks}.npy")
    columns, truth = _columns(size, seed)
    pl.DataFrame(columns).write_parquet(files.labels)
    np.save(files.truth, truth)
    return files


def write_csv(size: Size, folder: Path, seed: int = 0) -> Path:
    """The same with ids of text, as a labelling tool exports them."""
    path = folder / f"labels-{size.tasks}.csv"
    columns, _ = _columns(size, seed)
    names = {"task": "task-{:08d}", "annotator": "worker-{:06d}", "label": "class-{}"}
    frame = pl.DataFrame(
        [
            pl.Series([form.format(i) for i in range(columns[name].max() + 1)])
            .gather(columns[name])
            .alias(name)
            for name, form in names.items()
        ]
    )
    frame.write_csv(path)
    return path


def _columns(size: Size, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    parts: dict[str, list[np.ndarray]] = {"task": [], "annotator": [], "label": []}
    truths, start = [], 0
    for block in simulate_blocks(
        "confusion", block=500_000, n_tasks=size.tasks, n_annotators=size.annotators, n_classes=size.classes,
        redundancy=size.redundancy, seed=seed, names=False,
    ):  # fmt: skip
        labels = block.labels
        parts["task"].append((labels.task + start).astype(np.int32))
        parts["annotator"].append(labels.annotator.astype(np.int32))
        parts["label"].append(labels.answers.values.astype(np.int32))
        truths.append(block.truth)
        start += labels.n_tasks
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}, np.concatenate(truths)


def _short(n: int) -> str:
    if n >= 1_000_000:
        return f"{n / 1e6:g}M"
    return f"{n / 1000:g}k" if n >= 1000 else str(n)
