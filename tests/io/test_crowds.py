"""The real crowds of the data folder: each reads, and has the size that its README says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from manyhands.errors import RepeatedAnswerError
from manyhands.io import read, read_truth

DATA = Path(os.environ.get("MANYHANDS_DATA", Path(__file__).parents[3] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no data folder; set MANYHANDS_DATA")

# Tasks, annotators and rows, counted by hand where the README's table says nothing; and repeated pairs.
COUNTED = {
    "adult-content": (11040, 825, 92721, 2922), "dog": (807, 109, 8070, 0), "face-sentiment": (584, 27, 5242, 0),
    "fact-eval": (42624, 57, 216725, 1810), "reuters": (1786, 38, 5410, 0), "sentiment-500": (500, 143, 10000, 0),
    "temporal-order": (462, 76, 4620, 0), "trec-rf10": (19033, 762, 88385, 0), "weather-sentiment": (300, 110, 6030, 5),
    "wsd": (177, 34, 1770, 0), "zencrowd": (2040, 80, 23395, 3005), "cifar10n": (50000, 3, 150000, 0),
    "cifar100n": (50000, 519, 50000, 0), "affect": (100, 38, 7000, 6000),
}  # fmt: skip
NUMBERS = ("movie-reviews", "wordsim", "affect")
SETS = ("medical-relations",)
LISTED = re.compile(
    r"^\| ([\w-]+)(?: \([^|]*\))? \| (\d+) \| (\d+) \| (\d+) \| (-|\d+)(?: tags)? \|", re.MULTILINE
)


def listed() -> dict[str, tuple[int, int, int, int, int | None]]:
    """What the README's table says: tasks, annotators, rows, repeated pairs, classes."""
    if not DATA.is_dir():
        return {}
    rows = LISTED.findall((DATA / "README.md").read_text())
    return {name: (int(t), int(j), int(n), 0, None if k == "-" else int(k)) for name, t, j, n, k in rows}


SIZES = {name: (*size, None) for name, size in COUNTED.items()} | {
    k: v for k, v in listed().items() if k not in COUNTED
}


def test_the_table_is_understood() -> None:
    assert len(SIZES) == 25


@pytest.mark.parametrize("name", sorted(SIZES))
@pytest.mark.slow
def test_a_crowd_reads_in_full(name: str) -> None:
    tasks, annotators, rows, repeated, classes = SIZES[name]
    path = next((DATA / name).glob("annotations.*"))
    kind = "number" if name in NUMBERS else "set" if name in SETS else None
    if repeated:
        with pytest.raises(RepeatedAnswerError, match=r":\d+: .* in line \d+ and again in line \d+"):
            read(path, kind=kind)
    assert read(path, kind=kind, repeats="all").n_answers == rows
    labels = read(path, kind=kind, repeats="first")
    assert (labels.n_tasks, labels.n_annotators, labels.n_answers) == (tasks, annotators, rows - repeated)
    if classes is not None:
        assert labels.classes is not None
        assert len(labels.classes) == classes
    assert labels.kind == ("tags" if name == "conll-ner" else kind or "class")


@pytest.mark.parametrize("name", ["labelme", "music-genre", "movie-reviews", "zencrowd", "conll-ner", "wsd"])
@pytest.mark.slow
def test_truths_read_with_the_crowd(name: str) -> None:
    folder = DATA / name
    path = next(folder.glob("annotations.*"))
    gold = next(file for file in (folder / "truth.csv", folder / "tasks.jsonl.gz") if file.exists())
    labels = read(path, kind="number" if name in NUMBERS else None, repeats="first", truth=gold)
    known = read_truth(gold)
    truths = labels.truths()
    assert sum(truth is not None for truth in truths) > 0.05 * labels.n_tasks
    for task, truth in zip(labels.tasks, truths, strict=True):
        if truth is not None:
            assert truth == (float(known[task]) if name in NUMBERS else known[task])
