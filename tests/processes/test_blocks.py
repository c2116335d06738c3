"""Blocks find what the whole table finds, whatever the order of the rows and the number of processes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import manyhands as mh
from manyhands.errors import LabelError, ParameterError, ProcessError, RepeatedAnswerError, UnsupportedError
from manyhands.io.blocks import Blocks

from .group import in_processes
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


def in_group(cases: list[tuple[str, str]], folder: str, sharded: bool) -> list[Any]:
    """What each process finds of its own blocks."""
    from manyhands.io import blocks as module

    module.ROW, module.BATCH_ROW = 300_000, 200_000  # type: ignore[attr-defined]
    found = []
    for name, kind in cases:
        blocks = Blocks(Path(folder, kind), memory=LITTLE, kind=kind, sharded=sharded)
        result = fitted(name, blocks)
        found.append((believed(result.parts()), result.annotators().to_dicts(), result.to_dict()["tasks"]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("n", "sharded"), [(2, False), (4, False), (2, True)])
def test_blocks_in_several_processes_find_the_same(n: int, sharded: bool, tmp_path: Path) -> None:
    for kind in {kind for _, kind in BLOCK_CASES}:
        folder = tmp_path / kind
        folder.mkdir()
        if sharded:
            _frame(kind).write_parquet(folder / "part-0.parquet")  # the other process has nothing
        else:
            written(kind, folder)
    answers = in_processes(n, in_group, BLOCK_CASES, str(tmp_path), sharded, timeout=500)
    for place, (name, kind) in enumerate(BLOCK_CASES):
        whole = fitted(name, mh.read(tmp_path / kind, kind=kind))
        parts = [answer[place] for answer in answers]
        union: dict[Any, Any] = {}
        for part, _, tasks in parts:
            assert not union.keys() & part.keys()
            assert tasks == whole.labels.n_tasks
            union |= part
        same(union, believed([whole]))
        counts = dict(zip(*whole.annotators().select("annotator", "n"), strict=True))
        for _, annotators, _ in parts:
            assert {row["annotator"]: row["n"] for row in annotators} == counts


def _split(folder: str) -> str:
    try:
        Blocks(folder, memory=LITTLE, sharded=True)
    except ProcessError as error:
        return str(error)
    return "taken"


@pytest.mark.slow
def test_files_that_are_not_sharded_are_refused_where_that_was_said(tmp_path: Path) -> None:
    for found in in_processes(2, _split, str(written("class", tmp_path))):
        assert "no task is in two files" in found


def test_what_is_wrong_with_a_row_is_told_as_of_a_table_in_memory(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,annotator,label\nt1,ann,x\nt2,bob,y\n")
    (tmp_path / "b.csv").write_text("task,annotator,label\nt1,ann,y\n")
    with pytest.raises(
        RepeatedAnswerError, match="annotator 'ann' answered task 't1' in row 0 and again in row"
    ):
        Blocks(tmp_path)
    assert Blocks(tmp_path, repeats="last").n_answers == 2
    (tmp_path / "b.csv").write_text("task,annotator,label\nt1,bob,\n")
    with pytest.raises(LabelError, match=r"task 't1', annotator 'bob'. has an empty label"):
        Blocks(tmp_path)
    assert Blocks(tmp_path, missing="drop").n_answers == 2
    (tmp_path / "b.csv").write_text("task,annotator,label\n,bob,x\n")
    with pytest.raises(LabelError, match="task ids"):
        Blocks(tmp_path)


def test_what_blocks_cannot_do_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("task,annotator,label\nt1,ann,x\nt2,bob,y\n")
    with pytest.raises(ParameterError, match="memory='10M' is too little"):
        Blocks(path, memory="10M")
    with pytest.raises(UnsupportedError, match="glad does not learn from sums"):
        mh.GLAD().fit(Blocks(path))
    with pytest.raises(UnsupportedError, match="kind 'set' are not read in blocks"):
        Blocks(path, kind="set")
    blocks = Blocks(path, classes=["y", "x", "z"], abstain="n/a")
    result = mh.DawidSkene(right=1).fit(blocks).result_
    assert blocks.classes is not None
    assert blocks.classes.to_list() == ["y", "x", "z"]
    assert sorted(result.consensus()["label"]) == ["x", "y"]
    model = mh.DawidSkene(right=1, warm_start=True).fit(blocks)
    with pytest.raises(UnsupportedError, match="not added to blocks"):
        model.partial_fit(mh.read(path))
    with pytest.raises(UnsupportedError, match="fitted in blocks: go through"):
        model.predict()
    assert model.predict(mh.read(path, classes=["y", "x", "z"])).tolist() == ["x", "y"]
    assert len(model.fit(mh.read(path)).predict()) == 2  # begins anew
    del model
    scratch = blocks.scratch
    assert scratch.exists()
    del blocks, result
    import gc

    gc.collect()
    assert not scratch.exists()
