from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.errors import FileError
from manyhands.io import atomic_write

WRITER = Path(__file__).with_name("killed_writer.py")


def write(target: Path, fault: type[BaseException] | None = None) -> None:
    with atomic_write(target) as temporary:
        temporary.write_text("half")
        if fault is not None:
            raise fault


def test_new_content_replaces_old(tmp_path: Path) -> None:
    target = tmp_path / "votes.csv"
    target.write_text("old")
    with atomic_write(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
        assert temporary.parent == target.parent
        assert temporary.suffix == ".csv"
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["votes.csv"]


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, fault: type[BaseException]) -> None:
    target = tmp_path / "votes.csv"
    target.write_text("old")
    with pytest.raises(fault):
        write(target, fault)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["votes.csv"]


def test_mode_of_the_old_file_and_the_link_to_it_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "votes.csv", tmp_path / "latest.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with atomic_write(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_pipe_or_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    with atomic_write(pipe) as temporary:
        temporary.write_text("through")
    assert reader.communicate(timeout=20)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_errors_name_the_path_and_the_cure(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"), atomic_write(tmp_path):
        pass
    lost = tmp_path / "lost" / "votes.csv"
    with pytest.raises(FileError, match=r"votes\.csv: there is no folder .*make it first"):
        write(lost)


def test_a_full_disk_is_an_error_of_ours(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys\n"
        "from manyhands.io import atomic_write\n"
        "from manyhands.errors import FileError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    with atomic_write(sys.argv[1]) as temporary:\n"
        "        temporary.write_bytes(b'x' * 5000)\n"
        "except FileError as error:\n"
        "    print(error)\n"
    )
    target = tmp_path / "votes.csv"
    target.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", script, str(target)], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["votes.csv"]


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.slow
def test_killed_at_any_moment_the_old_or_the_new_stands_whole(tmp_path: Path, what: str) -> None:
    command = [sys.executable, str(WRITER), what, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # A folder sweeps up after killed writers, but for temporary manifests; a file cannot know them.
    if what == "folder":
        left = [name for name in os.listdir(tmp_path) if not name.startswith(".tmp-")]
        assert len(left) == 4
