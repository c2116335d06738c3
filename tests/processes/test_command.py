"""`manyhands aggregate --memory` and under torchrun: what it holds, what it leaves when it is killed, who it names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from manyhands.simulation import simulate_blocks

from .group import free_port

# Runs the command, and says at the end how much it held at most, in MB.
HELD = """
import sys
from pathlib import Path
from manyhands.cli import main
try:
    main()
finally:
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmHWM"))
    print(int(line.split()[1]) / 1024, file=sys.stderr)
"""


def crowd(folder: Path, tasks: int, annotators: int = 500) -> Path:
    folder.mkdir()
    start = 0
    blocks = simulate_blocks(
        "confusion", block=200_000, n_tasks=tasks, n_annotators=annotators, redundancy=5, names=False
    )
    for number, block in enumerate(blocks):
        labels = block.labels
        task = pl.Series(labels.task + start).cast(pl.String)
        columns = {"task": "task-" + task, "annotator": labels.annotator, "label": labels.answers.values}
        pl.DataFrame(columns).write_parquet(folder / f"part-{number}.parquet")
        start += labels.n_tasks
    return folder


def environment(**more: Any) -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1"} | {name: str(value) for name, value in more.items()}


def started(*arguments: Any, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "manyhands", "aggregate", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**more)
    )


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc: not Linux")
def test_the_memory_that_was_given_holds(tmp_path: Path) -> None:
    """In 600 MB, of which 380 are torch and the like; the whole table in memory takes more."""
    labels, held = crowd(tmp_path / "labels", 1_000_000), {}
    for memory in ("600M", None):
        out = (
            ["--out", tmp_path / "out", "--memory", memory] if memory else ["--out", tmp_path / "out.parquet"]
        )
        arguments = ["aggregate", labels, "-m", "dawid-skene", "--set", "max_iter=3", "--quiet", *out]
        done = subprocess.run(
            [sys.executable, "-c", HELD, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert done.returncode == 0, done.stderr
        held[memory] = float(done.stderr.split()[-1])
    assert held["600M"] < 600, held
    assert held["600M"] + 100 < held[None], held
    whole, parts = pl.read_parquet(tmp_path / "out.parquet"), pl.read_parquet(tmp_path / "out")
    both = whole.join(parts, on="task", suffix="_part")
    assert len(both) == len(parts) == 1_000_000
    assert (both["label"] == both["label_part"]).all()
    assert (both["confidence"] - both["confidence_part"]).abs().max() < 1e-5  # type: ignore[operator]


@pytest.mark.slow
def test_a_killed_run_leaves_what_stood_there_and_the_next_one_clears_up(tmp_path: Path) -> None:
    labels, out = crowd(tmp_path / "labels", 800_000), tmp_path / "out"
    out.mkdir()
    pl.DataFrame({"task": ["old"], "label": [0]}).write_parquet(out / "part-00000-000000.parquet")
    arguments = [labels, "-m", "majority", "--memory", "520M", "--out", out, "--quiet"]
    process = started(*arguments)
    wait_for(lambda: any(out.glob(".tmp-*/part-*.parquet")), process)
    process.kill()
    process.communicate()
    assert pl.read_parquet(out / "part-*.parquet")["task"].to_list() == ["old"]
    assert not (out / "_SUCCESS").exists()
    again = started(*arguments)
    again.communicate()
    assert again.returncode == 0
    assert (out / "_SUCCESS").exists()
    assert not [*out.glob(".tmp-*")]
    assert pl.read_parquet(out / "part-*.parquet").height == 800_000


def group(n: int, *arguments: Any, **more: Any) -> list[subprocess.Popen[str]]:
    """The command as torchrun starts it, without torchrun to end those that are left."""
    own = {"WORLD_SIZE": n, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()} | more
    return [started(*arguments, RANK=rank, **own) for rank in range(n)]


@pytest.mark.slow
@pytest.mark.parametrize("victim", [0, 1])
def test_who_is_killed_is_named_by_the_others_within_a_minute(victim: int, tmp_path: Path) -> None:
    labels, out = crowd(tmp_path / "labels", 200_000), tmp_path / "out"
    processes = group(
        3, labels, "-m", "dawid-skene", "--set", "max_iter=100000", "--set", "tol=0", "--out", out, "--quiet"
    )
    try:
        wait_for(lambda: len([*out.glob(".tmp-*/incidence-*")]) == 3, processes[victim])
        time.sleep(1)
        os.kill(processes[victim].pid, signal.SIGKILL)
        killed = time.monotonic()
        for rank, process in enumerate(processes):
            if rank != victim:
                _, said = process.communicate(timeout=90)
                assert process.returncode == 1
                assert f"process {victim} of 3 (rank {victim})" in said
        assert time.monotonic() - killed < 60
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert not [*out.glob("part-*")]


@pytest.mark.slow
def test_torchrun_writes_what_one_process_writes(tmp_path: Path) -> None:
    labels = crowd(tmp_path / "labels", 20_000)
    one = subprocess.run(
        [sys.executable, "-m", "manyhands", "aggregate", labels, "--out", tmp_path / "one.parquet", "--json"],
        capture_output=True, text=True, env=environment(), check=True,
    )  # fmt: skip
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    out = ["--out", tmp_path / "many", "--annotators", tmp_path / "who.csv"]
    many = subprocess.run(
        [*torchrun, "-m", "manyhands", "aggregate", labels, *out, "--json"],
        capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    assert many.returncode == 0, many.stderr
    said, expected = json.loads(many.stdout[many.stdout.index("{") :]), json.loads(one.stdout)
    for name in ("method", "tasks", "annotators", "answers", "iterations", "classes"):
        assert said[name] == expected[name], name
    assert len([*(tmp_path / "many").glob("part-0000[01]-*.parquet")]) == 2
    both = pl.read_parquet(tmp_path / "many").join(
        pl.read_parquet(tmp_path / "one.parquet"), on="task", suffix="_one"
    )
    assert both.height == 20_000
    assert (both["label"] == both["label_one"]).all()
    assert (both["confidence"] - both["confidence_one"]).abs().max() < 1e-5  # type: ignore[operator]
    assert pl.read_csv(tmp_path / "who.csv")["n"].sum() == 100_000


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--tasks-out", "t.csv"], "--tasks-out goes with a table in memory"),
        (["--truth", "t.csv"], "--truth goes with a table in memory"),
        (["--out", "c.csv"], "give --out a folder, such as c"),
        (["--method", "glad"], "glad does not learn from sums"),
    ],
)
def test_what_goes_with_whole_tables_only_is_refused(extra: list[str], message: str, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from manyhands.cli.app import app

    (tmp_path / "v.csv").write_text("task,annotator,label\nt1,ann,x\nt2,bob,y\n")
    (tmp_path / "t.csv").write_text("task,label\nt1,x\n")
    placed = [str(tmp_path / word) if word.endswith(".csv") else word for word in extra]
    done = CliRunner().invoke(app, ["aggregate", str(tmp_path / "v.csv"), "--memory", "1G", *placed])
    assert done.exit_code == 1
    assert message in done.stderr.replace(f"{tmp_path}/", "")
