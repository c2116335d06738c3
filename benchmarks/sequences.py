"""Named entities from a crowd: whole spans right, by every method for tags.

    python -m benchmarks.sequences [--words]

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

from manyhands import BSC, Annotations, HMMCrowd, read
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning, LabelWarning
from manyhands.metrics import span_scores

from .real_crowds import NEEDED, data_folder, table_of
from .tables import publish

__all__ = ["aggregated", "crowd", "main", "word_vectors"]

MASSES = (1e-3, 1e-2, 1e-1, 1.0)
LEFT_OUT = ("label-model", "mmce", "kos")  # dear on 88 000 tokens of nine tags, and not measured there

AGGREGATED = """
Strict spans (start, end and type), micro-averaged, on the 6056 training sentences; tokens: the share of tags right. Tags are decoded
to the legal sequence with most tokens right as expected; *argmax* is F1 of each token's likeliest tag. Defaults of every method; *with words*: the
sentences' words as emissions (`fit(labels, words=)`), their Dirichlet mass by the bound on the evidence.
Asked for: per-token Dawid-Skene about .73, BSC and HMM-Crowd at or above it, the best .75. Not measured: label-model, mmce, kos.
"""
WORDS = """
The 6056 training sentences with their words; the default is the mass with the highest bound on the evidence of annotations and words.
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
    words = [sentences[str(task)]["tokens"] for task in labels.tasks]
    systems = [
        (method.name, method.make(), {}) for method in methods_for("tags") if method.name not in LEFT_OUT
    ]
    systems += [(f"{model.name}, with words", model, {"words": words}) for model in (HMMCrowd(), BSC())]
    for name, model, beside in systems:
        begun = time.process_time()
        result = model.fit(labels, **beside).result_
        seconds = time.process_time() - begun
        names = np.array(labels.unit_classes.to_list())
        best = names[result.chances.argmax(axis=1)]
        starts = labels.unit_offsets
        plain = [best[a:b].tolist() for a, b in pairwise(starts)]
        found = span_scores(result.consensus()["label"].to_list(), gold)
        yield {
            "method": name, "precision": found.precision, "recall": found.recall, "F1": found.f1,
            "argmax": span_scores(plain, gold).f1, "tokens": found.accuracy, "CPU s": round(seconds, 1),
        }  # fmt: skip


def word_masses() -> Iterator[dict[str, Any]]:
    """What chose `word_mass`: the bound on the evidence, which sees no truth; F1 beside it."""
    labels, sentences = crowd()
    gold = [sentences[str(task)]["truth"] for task in labels.tasks]
    words = [sentences[str(task)]["tokens"] for task in labels.tasks]
    for make in (HMMCrowd, BSC):
        for mass in MASSES:
            result = make(word_mass=mass).fit(labels, words=words).result_
            found = span_scores(result.consensus()["label"].to_list(), gold)
            bound = result.history[-1]["objective"] / 1000
            yield {"method": make.name, "word_mass": mass, "bound / 1000": round(bound, 1), "F1": found.f1}


@cache
def word_vectors() -> tuple[list[str], np.ndarray]:
    folder = Path(str(data_folder())) / "word-vectors"
    rows = np.load(folder / "features.npz")["X"].astype(np.float32)
    return (folder / "words.txt").read_text(encoding="utf-8").split("\n")[: len(rows)], rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--words", action="store_true", help="what chose the mass of words, instead")
    asked = parser.parse_args()
    if data_folder() is None:
        raise SystemExit(NEEDED)
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", LabelWarning)
    if asked.words:
        title = "How often a word was seen beforehand"
        publish("sequences-words", title, list(word_masses()), notes=WORDS.strip())
    else:
        publish("sequences", "Spans of a crowd, by aggregation", list(aggregated()), notes=AGGREGATED.strip())


if __name__ == "__main__":
    main()
