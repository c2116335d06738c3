"""Exit codes, signals and pipes, of real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import manyhands as mh

from .shell import process, table


@pytest.mark.slow
def test_an_error_is_one_line_without_a_traceback(tmp_path):
    done = process("aggregate", tmp_path / "none.csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_debug_shows_where_it_came_from(tmp_path):
    done = process("aggregate", tmp_path / "none.csv", env={**os.environ, "MANYHANDS_DEBUG": "1"})
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "FileError" in done.stderr


@pytest.mark.slow
def test_a_usage_error_leaves_with_2():
    assert process("aggregate").returncode == 2
    assert process("methods", "--colour").returncode == 2


@pytest.mark.slow
def test_ctrl_c_leaves_with_130_and_without_a_trace(tmp_path):
    mh.write(mh.simulate("confusion", n_tasks=3000, n_annotators=40, seed=1).labels, tmp_path / "v.csv")
    command = [sys.executable, "-m", "manyhands", "aggregate", "v.csv", "-m", "dawid-skene", "--set", "tol=0",
               "--set", "max_iter=100000000", "--set", "n_init=100000000", "--out", "c.csv"]  # fmt: skip
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)  # well into the fit, or still importing: the end must be the same
    if running.poll() is None:
        running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=60)[1]
    assert running.returncode == 130
    assert told.startswith("error: interrupted")
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["v.csv"]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("verb", [["methods"], ["methods", "--json"]], ids=" ".join)
@pytest.mark.slow
def test_a_reader_who_leaves_is_no_error(verb):
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "manyhands", *verb],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write_end)
    assert done.stderr == ""
    assert done.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "manyhands", "methods"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr


def test_out_of_memory_is_told_in_one_line(tmp_path, monkeypatch):
    from .shell import run

    def greedy(*_: object, **__: object) -> None:
        raise MemoryError("40 GB")

    monkeypatch.setattr("manyhands.io.read", greedy, raising=False)
    done = run("aggregate", table(tmp_path / "v.csv"))
    assert done.exit_code == 1
    assert "out of memory" in done.stderr
