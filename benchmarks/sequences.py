"""Named entities from a crowd: whole spans right, by every method for tags.

    python -m benchmarks.sequences

`data/conll-ner`: 6056 training sentences, 47 annotators. Scored on the training sentences; taggers trained on
the answers are `python -m benchmarks.papers --only crowd-layer-3`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manyhands import Annotations, read
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning, LabelWarning
from manyhands.metrics import span_scores

from .real_crowds import NEEDED, data_folder, table_of
from .tables import publish

__all__ = ["aggregated", "crowd", "main", "word_vectors"]

LEFT_OUT = ("label-model", "mmce", "kos")  # dear on 88 000 tokens of nine tags, and not measured there

AGGREGATED = """
Strict spans (start, end and type), micro-averaged, on the 6056 training sentences; tokens: the share of tags right. Tags are decoded
to the legal sequence with most tokens right as expected; *argmax* is F1 of each token's likeliest tag. Defaults of every method.
Asked for: per-token Dawid-Skene about .73, BSC and HMM-Crowd at or above it, the best .75. Not measured: label-model, mmce, kos.
"""


@cache
def crowd() -> tuple[Annotations, dict[str, dict[str, Any]]]:
    """The answers; and every sentence with its words and its truth."""
    path = table_of("conll-ner")
    with gzip.open(path.parent / "tasks.jsonl.gz", "rt", encoding="utf-8") as lines:
        sentences = {str(row["task"]): row for row in map(json.loads, lines)}
    return read(path, kind="tags", repeats="first"), sentences


def aggregated() -> Iterator[dict[str, Any]]:
    """A row a method."""
    labels, sentences = crowd()
    gold = [sentences[str(task)]["truth"] for task in labels.tasks]
    for method in methods_for("tags"):
        if method.name in LEFT_OUT:
            continue
        begun = time.process_time()
        result = method.make().fit(labels).result_
        seconds = time.process_time() - begun
        names = np.array(labels.unit_classes.to_list())
        best = names[result.chances.argmax(axis=1)]
        starts = labels.unit_offsets
        plain = [best[a:b].tolist() for a, b in pairwise(starts)]
        found = span_scores(result.consensus()["label"].to_list(), gold)
        yield {
            "method": method.name, "precision": found.precision, "recall": found.recall, "F1": found.f1,
            "argmax": span_scores(plain, gold).f1, "tokens": found.accuracy, "CPU s": round(seconds, 1),
        }  # fmt: skip


@cache
def word_vectors() -> tuple[list[str], np.ndarray]:
    folder = Path(str(data_folder())) / "word-vectors"
    rows = np.load(folder / "features.npz")["X"].astype(np.float32)
    return (folder / "words.txt").read_text(encoding="utf-8").split("\n")[: len(rows)], rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", LabelWarning)
    publish("sequences", "Spans of a crowd, by aggregation", list(aggregated()), notes=AGGREGATED.strip())


if __name__ == "__main__":
    main()
