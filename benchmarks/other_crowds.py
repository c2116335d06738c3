"""Real crowds whose labels are tags or sets, judged by what of them has a truth."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from manyhands import read

from .fitted import fitted
from .real_crowds import table_of, truth_of
from .scores import Scores, score

__all__ = ["other_crowds"]

# Which of the labels of a set speak for a relation: a cause is also told by what follows from it.
RELATIONS = {
    "CAUSES": ("CAUSES", "SYMPTOM", "MANIFESTATION", "SIDE_EFFECT"),
    "TREATS": ("TREATS",),
}


def other_crowds(only: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Scores]]]:
    """Name, and the figures of each method, or of `only` these."""
    yield "conll-ner (tokens)", tokens(only)
    yield from relations(only)


def tokens(only: Sequence[str]) -> dict[str, Scores]:
    """Tags: accuracy over tokens."""
    labels = read(table_of("conll-ner"), kind="tags", repeats="first")
    with gzip.open(table_of("conll-ner").parent / "tasks.jsonl.gz", "rt", encoding="utf-8") as lines:
        known = {str(t["task"]): t.get("truth") for t in map(json.loads, lines)}
    assert labels.classes is not None
    codes = {tag: code for code, tag in enumerate(labels.classes)}
    truth = np.full(labels.n_units, -1)
    for task, start, stop in zip(
        labels.tasks, labels.unit_offsets[:-1], labels.unit_offsets[1:], strict=True
    ):
        tags = known.get(str(task))
        if tags is not None and len(tags) == stop - start:
            truth[start:stop] = [codes.get(tag, labels.n_classes) for tag in tags]
    return {name: score(chances, truth) for name, chances in fitted(labels, only)}


def relations(only: Sequence[str]) -> Iterator[tuple[str, dict[str, Scores]]]:
    """Sets: whether a relation holds, against the adjudicated truth."""
    labels = read(table_of("medical-relations"), kind="set", separator="|", repeats="first")
    assert labels.classes is not None
    names = [str(name) for name in labels.classes]
    truths = truth_of("medical-relations").filter(pl.col("kind") == "adjudicated")
    held = {name: chances.reshape(labels.n_tasks, -1, 2)[:, :, 1] for name, chances in fitted(labels, only)}
    for relation, parts in RELATIONS.items():
        known = truths.filter(pl.col("relation") == relation)
        told = dict(zip(known["task"], known["label"].cast(pl.Int64), strict=True))
        truth = np.array([told.get(str(task), -1) for task in labels.tasks])
        columns = [names.index(part) for part in parts if part in names]
        scores = {}
        for name, chance in held.items():
            yes = chance[:, columns].max(axis=1)
            scores[name] = score(np.column_stack([1 - yes, yes]), truth)
        yield f"medical-relations ({relation.lower()})", scores
