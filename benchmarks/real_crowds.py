"""The real crowds, read from a folder outside the repository."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from manyhands import Annotations, read

from .processes import ROOT

__all__ = ["CLASSES", "NEEDED", "Crowd", "class_crowds", "data_folder", "table_of", "truth_of"]

NEEDED = "needs the folder of real crowds: set MANYHANDS_DATA"

CLASSES = (
    "adult-content", "bluebirds", "cifar10n", "cifar100n", "dog", "face-sentiment", "fact-eval", "labelme",
    "movie-reviews-3class", "music-genre", "product-matching", "reuters", "rte", "sentiment-500",
    "sentiment-polarity", "temporal-order", "trec-rf10", "weather-sentiment", "wsd", "zencrowd",
)  # fmt: skip


class Crowd(NamedTuple):
    """labels without their truths; truth: code of each task's class, -1 where unknown."""

    name: str
    labels: Annotations
    truth: np.ndarray


def data_folder() -> Path | None:
    """The folder of real crowds; None where there is none."""
    place = Path(os.environ.get("MANYHANDS_DATA") or ROOT.parent / "shared/data")
    return place if place.is_dir() else None


def class_crowds(names: tuple[str, ...] = CLASSES) -> Iterator[Crowd]:
    """The classification crowds; of repeated answers the first is kept."""
    for name in names:
        truth = dict(truth_of(name).select("task", "label").iter_rows())
        labels = read(table_of(name), columns="task=task,annotator=annotator,label=label", repeats="first")
        assert labels.classes is not None
        known = [truth.get(str(task)) for task in labels.tasks]
        # A truth that nobody voted for is known, and nobody can be right.
        codes = [-1 if label is None else _code(labels, label) for label in known]
        yield Crowd(name, labels, np.array(codes))


def table_of(name: str) -> Path:
    """The file of annotations."""
    folder = data_folder()
    if folder is None:
        raise SystemExit(NEEDED)
    return next((folder / name).glob("annotations.*"))


def truth_of(name: str) -> pl.DataFrame:
    """The file of truths as text, those that are empty left out."""
    frame = pl.read_csv(table_of(name).parent / "truth.csv", infer_schema=False)
    return frame.filter(pl.col("label").is_not_null() & (pl.col("label") != ""))


def _code(labels: Annotations, label: str) -> int:
    assert labels.classes is not None
    names = [str(name) for name in labels.classes]
    return names.index(label) if label in names else len(names)
