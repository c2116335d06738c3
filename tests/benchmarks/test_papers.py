"""The papers' tables: runs are kept, tables follow from them, every table can be made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.papers.__main__ import pending
from benchmarks.papers.catalog import TABLES, table
from benchmarks.papers.crowds import Featured, real_matrices
from benchmarks.papers.figures import DRAWN, draw, keep
from benchmarks.papers.runs import Runs
from benchmarks.papers.side_by_side import Copies, copies, copies_of
from benchmarks.papers.summary import FOLDER, long_rows, page, write
from benchmarks.papers.table import Cell, Share, Table
from benchmarks.processes import ROOT
from benchmarks.real_crowds import data_folder

from manyhands import Annotations, SpeeLFC, simulate
from manyhands.networks import Linear


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


def test_a_part_of_a_table_is_a_system_or_data_and_seeds_trained_together_are_run_together(
    tmp_path: Path,
) -> None:
    runs = Runs(tmp_path / "t.jsonl")
    runs.add("here", "ours", 1, {"accuracy": 0.5}, 1.0)
    table = made()._replace(cells=tuple(cell._replace(together=2, seeds=3) for cell in made().cells))
    left = [(seed, cell.system) for seed, cell in pending(table, runs, None)]
    first = [(0, "majority"), (1, "majority"), (0, "ours"), (0, "truth"), (1, "truth")]
    assert left == [*first, (2, "majority"), (2, "ours"), (2, "truth")]
    assert {cell.system for _, cell in pending(table, runs, None, "ours")} == {"ours"}
    assert len(list(pending(table, runs, None, "here"))) == len(left)
    assert {cell.system for _, cell in pending(table, runs, None, "truth:here")} == {"truth"}
    assert not list(pending(table, runs, None, "there"))
    assert not list(pending(table, runs, None, "truth:there"))


def featured_crowd() -> Featured:
    crowd = simulate("confusion", n_tasks=60, n_annotators=4, redundancy=2, n_classes=3, n_features=4, seed=0)
    x, truth = np.asarray(crowd.features, dtype=np.float32), np.asarray(crowd.truth)
    return Featured(x[:40], crowd.labels[:40], truth[:40], x[40:], truth[40:])


def test_a_network_side_by_side_is_the_network_alone() -> None:
    data = featured_crowd()
    together = copies(Linear(False).build, range(3))(5, 3)
    _, _, tests = copies_of(data, 3)
    mixed = torch.from_numpy(np.concatenate(tests))[
        torch.randperm(60, generator=torch.Generator().manual_seed(0))
    ]
    said = together(mixed)
    for copy, network in enumerate(together.networks):
        rows = mixed[:, -1] == copy
        torch.testing.assert_close(said[rows], network(mixed[rows, :-1]))
    assert not torch.equal(together.networks[0][1].weight, together.networks[1][1].weight)


def test_what_a_copy_learns_depends_on_its_own_labels_alone() -> None:
    data = featured_crowd()
    x, labels, _ = copies_of(data, 2)
    assert (labels.n_tasks, labels.n_annotators, labels.n_answers) == (80, 8, 2 * data.labels.n_answers)
    unit, annotator, said = labels.rows
    other = np.where(unit < 40, said, (said + 1) % 3)  # the second copy's are turned round
    turned = Annotations.from_arrays(unit, annotator, other, classes=list(labels.classes or ()))

    def learnt(given: Annotations) -> tuple[torch.Tensor, torch.Tensor]:
        network = copies(Linear(False).build, range(2))
        model = SpeeLFC(network, epochs=3, learning_rate=1e-2, batch_size=32).fit(x, given)
        assert isinstance(model.network_, Copies)
        return torch.stack([net[1].weight for net in model.network_.networks]), model.channel_.confusions()

    (plain, matrices), (mixed, confused) = learnt(labels), learnt(turned)
    assert torch.equal(plain[0], mixed[0])
    assert torch.equal(matrices[:4], confused[:4])
    assert not torch.equal(plain[1], mixed[1])


def test_real_matrices_are_counted_by_hand() -> None:
    labels = Annotations.from_matrix([[0, 1, -1], [1, 1, -1], [0, 0, 1]])
    busiest, real = real_matrices(Featured(np.eye(3), labels, np.array([0, 1, 0]), np.eye(3), np.zeros(3)), 2)
    assert busiest.tolist() == [0, 1]
    assert real.tolist() == [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.0, 1.0]]]


@pytest.mark.parametrize("name", DRAWN)
def test_figures_are_drawn_from_their_numbers(name: str, tmp_path: Path) -> None:
    points = {"annotator": "a", "of": "sensitivity", "labels": 3, "real": 0.5, "W": 0.25, "b": 0.1}
    cell = {"annotator": "a", "truth": "x", "label": "y", "value": 0.5}
    matrices = [cell | {"matrix": which, "value": v} for which in ("W", "real") for v in (0.1, 0.9)]
    assert draw(name, tmp_path) is None
    half = {"class": "x", "half": "less", "tasks": 3}
    place = {"system": "CoNAL", "pattern": "symmetric", "sweep": "share", "value": 0.3, "accuracy": 0.9}
    others = {
        "conal-figure-6": [place],
        "conal-figure-10-labelme": [half],
        "conal-figure-10-music-genre": [half],
    }
    others |= {f"crowd-layer-figure-{n}": [points] for n in (2, 4)}
    keep(name, others.get(name, matrices), tmp_path)
    drawn = draw(name, tmp_path)
    assert drawn is not None
    assert drawn.read_bytes()[:4] == b"\x89PNG"


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
    command = [sys.executable, "-m", "benchmarks.papers", "--quick", "--only", "speelfc-2:SpeeLFC"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "quick/speelfc-2.csv").read_text().startswith("data,system,metric,paper,ours,se,seeds")
