"""Run as a process of its own: writers are forked and killed at random moments, readers look after each."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from manyhands.io.atomic import atomic_write
from manyhands.io.folder import read_folder, write_folder

SIZE = 200_000


def write_file(folder: Path, version: int) -> None:
    with atomic_write(folder / "votes.csv") as temporary:
        temporary.write_bytes(bytes([65 + version % 26]) * SIZE)


def look_at_file(folder: Path) -> None:
    content = (folder / "votes.csv").read_bytes()
    assert len(content) == SIZE, len(content)
    assert len(set(content)) == 1, set(content)


def write_result(folder: Path, version: int) -> None:
    arrays = {"a": np.full(SIZE // 8, version), "b": np.full(3, version)}
    write_folder(folder, arrays, {"names": [str(version)] * 100}, {"version": version})


def look_at_result(folder: Path) -> None:
    arrays, texts, meta = read_folder(folder)
    version = meta["version"]
    assert (arrays["a"] == version).all()
    assert (arrays["b"] == version).all()
    assert texts["names"] == [str(version)] * 100


def kill_often(folder: Path, write: Callable[[Path, int], None], look: Callable[[Path], None]) -> None:
    random.seed(0)
    write(folder, 0)
    for kill in range(20):
        child = os.fork()
        if not child:
            version = kill * 1000
            while True:
                version += 1
                write(folder, version)
        time.sleep(random.uniform(0.002, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        look(folder)


def kill_at_every_call(
    folder: Path, write: Callable[[Path, int], None], look: Callable[[Path], None]
) -> None:
    """Not at random: before and after each call that changes the disk, until a writer survives."""
    calls = ["fsync", "replace", "unlink", "chmod"]
    for last in range(100):
        child = os.fork()
        if not child:
            left = [last]
            for name in calls:
                setattr(os, name, counting(getattr(os, name), left))
            write(folder, 7000 + last)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        look(folder)
        if os.waitstatus_to_exitcode(status) == 0:
            assert last > 2, last
            return
    raise AssertionError("no writer survived")


def counting(call: Callable[..., object], left: list[int]) -> Callable[..., object]:
    def counted(*given: object, **named: object) -> object:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        answer = call(*given, **named)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return answer

    return counted


if __name__ == "__main__":
    what, place = sys.argv[1], Path(sys.argv[2])
    pair = {"file": (write_file, look_at_file), "folder": (write_result, look_at_result)}[what]
    kill_often(place, *pair)
    kill_at_every_call(place, *pair)
    pair[0](place, 99)
    pair[1](place)
    print(len(os.listdir(place)))
