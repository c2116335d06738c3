"""`torchrun -m manyhands train`: as one process; and a process that is killed changes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import manyhands as mh
from tests.cli.crowd_with_features import put

HOW = ("--method", "crowd-classifier", "--network", "skip", "--epochs", "80")


def command(crowd: Path, out: Path, processes: int, *more: str) -> list[str]:
    start = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        str(processes),
    ]
    verb = [
        "-m",
        "manyhands",
        "train",
        str(crowd),
        "--features",
        str(crowd / "features.npz"),
        "--out",
        str(out),
    ]
    return [*(start if processes else [sys.executable]), *(more if processes else ()), *verb, *HOW]


def begun(*args: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command(*args),
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # type: ignore[arg-type]
    )


def children(pid: int) -> list[int]:
    """The processes that this one began, by rank; of Linux."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            about = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            said = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        rank = next((int(entry[5:]) for entry in said if entry.startswith(b"RANK=")), None)
        if int(about[1]) == pid and rank is not None:
            found.append((rank, int(folder.name)))
    return [number for _, number in sorted(found)]


def parameters(model: mh.CrowdClassifier) -> dict[str, np.ndarray]:
    parts = {"network": model.network_, "channel": model.channel_}
    found = {f"{part}.{k}": v.numpy() for part, m in parts.items() for k, v in m.state_dict().items()}
    return found | {"chances": model.result_.chances}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("torchrun")
    crowd = put(folder / "crowd")
    told = begun(crowd, folder / "two", 2).communicate(timeout=300)
    assert "wrote model" in told[0], told[1]
    assert told[0].count("wrote model") == 1  # process 0 alone speaks
    return crowd, folder / "two"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds the processes in /proc")
@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_process_changes_nothing(undisturbed: tuple[Path, Path], tmp_path: Path, rank: int) -> None:
    crowd, whole = undisturbed
    running = begun(crowd, tmp_path / "m", 2, "--max-restarts", "2")
    manifest = tmp_path / "m" / "checkpoint" / "manifest.json"
    until = time.monotonic() + 120
    while not manifest.exists() and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(children(running.pid)[rank], signal.SIGKILL)
    told = running.communicate(timeout=300)
    assert running.returncode == 0, told[1]
    assert "went on from epoch" in told[0]
    ours, theirs = parameters(mh.load(tmp_path / "m")), parameters(mh.load(whole))
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)


@pytest.mark.slow
def test_two_processes_are_shares_of_all_tasks(undisturbed: tuple[Path, Path]) -> None:
    result = mh.load(undisturbed[1]).result_
    assert result.labels.tasks.to_list() == [f"t{i}" for i in range(60)]
    assert result.consensus()["label"].null_count() == 20  # those that nobody answered
