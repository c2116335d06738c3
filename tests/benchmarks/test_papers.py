"""The papers' tables: runs are kept, tables follow from them, every table can be made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.papers.__main__ import pending
from benchmarks.papers.catalog import TABLES, table
from benchmarks.papers.runs import Runs
from benchmarks.papers.summary import FOLDER, long_rows, page, write
from benchmarks.papers.table import Cell, Share, Table
from benchmarks.processes import ROOT
from benchmarks.real_crowds import data_folder


def made() -> Table:
    def run(seed: int, quick: bool) -> dict[str, float]:
        return {"accuracy": 0.5}

    cells = tuple(
        Cell("here", name, run, {"accuracy": 0.9}, seeds=2) for name in ("majority", "ours", "truth")
    )
    return Table("t", "A table", cells, ("accuracy",), "nothing", Share("accuracy"))


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "t.jsonl")
    runs.add("here", "ours", 0, {"accuracy": 0.5}, 1.0)
    runs.path.write_text(runs.path.read_text() + '{"data": "here", "sys')  # killed while writing
    left = [(seed, cell.system) for seed, cell in pending(made(), Runs(runs.path), None)]
    assert left == [(0, "majority"), (0, "truth"), (1, "majority"), (1, "ours"), (1, "truth")]


def test_means_errors_and_shares(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "t.jsonl")
    for system, values in {"majority": (0.5, 0.5), "ours": (0.6, 0.8), "truth": (0.9, 0.9)}.items():
        for seed, value in enumerate(values):
            runs.add("here", system, seed, {"accuracy": value}, 2.0)
    rows = {row["system"]: row for row in long_rows(made(), runs)}
    assert rows["ours"]["ours"] == pytest.approx(0.7)
    assert rows["ours"]["se"] == pytest.approx(0.1)
    assert "| ours | .7000 ± .1000 | .9000 | .5000 | 2 |" in page(made(), runs)


@pytest.mark.parametrize("name", TABLES)
def test_pages_and_csvs_are_those_of_the_runs(name: str, tmp_path: Path) -> None:
    if data_folder() is None:
        pytest.skip("the folder of real crowds is absent")
    kept = FOLDER / "runs" / f"{name}.jsonl"
    if not kept.exists():
        pytest.skip(f"{name} was not run yet")
    write(table(name), Runs(kept), tmp_path)
    for file in (f"{name}.md", f"{name}.csv"):
        assert (tmp_path / file).read_text() == (FOLDER / file).read_text(), "run benchmarks.papers --write"


@pytest.mark.slow
def test_the_command_makes_a_table_quickly(tmp_path: Path) -> None:
    if data_folder() is None:
        pytest.skip("the folder of real crowds is absent")
    command = [sys.executable, "-m", "benchmarks.papers", "--quick", "--only", "crowd-layer-3:joint"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (
        (tmp_path / "quick/crowd-layer-3.csv")
        .read_text()
        .startswith("data,system,metric,paper,ours,se,seeds")
    )
