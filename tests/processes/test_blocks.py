"""Blocks find what the whole table finds, whatever the order of the rows and the number of processes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import manyhands as mh
from manyhands.io.blocks import Blocks

from .test_equality import CASES, settings, table

BLOCK_CASES = [(name, kind) for name, kind in CASES if kind in ("class", "ordinal", "number")]
LITTLE = "514M"  # the least that is taken; blocks are made small by hand


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of some hundred rows."""
    monkeypatch.setattr("manyhands.io.blocks.ROW", 300_000)
    monkeypatch.setattr("manyhands.io.blocks.BATCH_ROW", 200_000)


def written(kind: str, folder: Path, parts: int = 3) -> Path:
    """A folder of part files over which every task is spread."""
    frame = _frame(kind)
    frame = frame.sample(fraction=1, shuffle=True, seed=1)
    for part in range(parts):
        frame[part::parts].write_parquet(folder / f"part-{part}.parquet")
    return folder


def _frame(kind: str) -> pl.DataFrame:
    labels = table(kind)
    values = labels.answers.values
    label = values if labels.classes is None else [labels.classes[v] for v in values]
    return pl.DataFrame(
        {"task": [labels.tasks[i] for i in labels.task], "annotator": [labels.annotators[j] for j in labels.annotator],
         "label": label}
    )  # fmt: skip


def fitted(name: str, given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mh.METHODS[name].make(**settings(name)).fit(given).result_


def believed(parts: Any) -> dict[Any, Any]:
    """What is believed of each task, and its consensus."""
    found = {}
    for part in parts:
        numbers = part.labels.kind == "number"
        rows = np.stack([part.numbers.mean, part.numbers.sd], 1) if numbers else part.chances
        consensus = part.consensus()["label"].to_list()
        found |= dict(zip(part.labels.tasks.to_list(), zip(rows, consensus, strict=True), strict=True))
    return found


def same(one: dict[Any, Any], other: dict[Any, Any]) -> None:
    assert one.keys() == other.keys()
    for task, (rows, label) in one.items():
        assert np.allclose(rows, other[task][0], atol=1e-5, rtol=1e-5), task
        expected = other[task][1]
        assert label == (pytest.approx(expected, rel=1e-6) if isinstance(expected, float) else expected), task


def compare(name: str, kind: str, folder: Path) -> None:
    whole = fitted(name, mh.read(folder, kind=kind))
    blocks = Blocks(folder, memory=LITTLE, kind=kind)
    assert blocks.n_blocks > 2
    result = fitted(name, blocks)
    same(believed(result.parts()), believed([whole]))
    ours, theirs = result.annotators(), whole.annotators()
    shared = [c for c in ours.columns if c in theirs.columns]
    both = ours.select(shared).join(theirs.select(shared), on="annotator", suffix="_whole")
    assert len(both) == len(theirs)
    for column in shared[1:]:
        if ours[column].dtype.is_numeric() and name != "ibcc":
            assert np.allclose(
                both[column].cast(float).to_numpy(), both[f"{column}_whole"].cast(float).to_numpy(), atol=1e-4,
                equal_nan=True,
            ), (name, column)  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "kind"), [("dawid-skene", "class"), ("wawa", "class"), ("precision-weighted", "number")]
)
def test_blocks_find_what_the_whole_table_finds(name: str, kind: str, tmp_path: Path) -> None:
    compare(name, kind, written(kind, tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["class", "ordinal", "number"])
def test_every_method_with_sums_finds_the_same_in_blocks(kind: str, tmp_path: Path) -> None:
    folder = written(kind, tmp_path)
    for name, own in BLOCK_CASES:
        if own == kind:
            compare(name, kind, folder)
