"""Tables as written, made crowds, clocks, and processes that fail."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.measure import Laps, peak_mb
from benchmarks.processes import fresh
from benchmarks.synthetic import Size, write_csv, write_parquet
from benchmarks.tables import markdown, publish

from benchmarks import end_to_end


def test_numbers_keep_four_digits() -> None:
    row = {"a": 0.5, "b": 0.00012, "c": 123.456, "d": 12345.6, "e": float("nan"), "f": None, "g": 0.99999}
    assert markdown([row]).splitlines()[-1] == "| .5000 | 1.2e-04 | 123.5 | 12346 | - |  | 1.0000 |"


def test_published_twice_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish("t", "Title", [{"crowd": "x", "accuracy": 0.123456789}], notes="Note.", out=tmp_path)
    text = (tmp_path / "t.md").read_text()
    assert text.strip() == capsys.readouterr().out.strip()
    assert "| x | .1235 |" in text
    with open(tmp_path / "t.csv", newline="") as handle:
        assert list(csv.DictReader(handle)) == [{"crowd": "x", "accuracy": "0.123456789"}]


def test_no_pair_comes_twice_and_csv_is_the_parquet(tmp_path: Path) -> None:
    size = Size(300, 20, 4, 5)
    files = write_parquet(size, tmp_path)
    table = pl.read_parquet(files.labels)
    assert len(table) == size.labels == len(table.unique(["task", "annotator"]))
    truth = np.load(files.truth)
    right = truth[table["task"].to_numpy()] == table["label"].to_numpy()
    assert 0.4 < right.mean() < 1
    named = pl.read_csv(write_csv(size, tmp_path))
    codes = named.select(pl.all().str.extract(r"(\d+)$").cast(pl.Int32))
    assert codes.equals(table)


def test_laps_and_memory() -> None:
    laps = Laps()
    for _ in range(3):
        laps.take(1, 2.0)
    assert len(laps.cpu) == len(laps.wall) == 2
    before = peak_mb()
    block = np.ones(40_000_000 // 8)
    assert block[0] == 1
    del block
    assert 20 < peak_mb() - before < 200 or before > 500  # what was freed before may be used again


def test_a_process_that_fails_says_why() -> None:
    assert "No module named" in fresh("benchmarks.none_such", {})["error"]
    assert "not done" in fresh("benchmarks.our_worker", {}, timeout=0.01)["error"]


def test_agreement_of_two_consensuses(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,label,n\nt1,x,1\nt2,y,1\n")
    (tmp_path / "b.csv").write_text("task,agg_label\nt2,y\nt1,z\n")
    assert end_to_end.same_answers(tmp_path / "a.csv", tmp_path / "b.csv") == 0.5
