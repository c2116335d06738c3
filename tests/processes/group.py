"""Real processes in a real group on this machine, for tests: spawn, gloo, a TCP store."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable
from typing import Any

__all__ = ["free_port", "in_processes"]


def in_processes(
    n: int,
    work: Callable[..., Any],
    *args: Any,
    timeout: float = 120,
    join: Any = None,
    enough: int | None = None,
) -> list[Any]:
    """What `work(*args)` gives in each of n processes of one group, by rank; an error is a value too; None is a death.

    enough: answers to wait for, where a process will neither answer nor end.
    """
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    port = free_port()
    started = [
        context.Process(target=_run, args=(r, n, port, answers, work, args, join), daemon=True)
        for r in range(n)
    ]
    for process in started:
        process.start()
    found: dict[int, Any] = {}
    try:
        while len(found) < (enough or n):
            try:
                rank, value = answers.get(timeout=0.2)
                found[rank] = value
            except Exception:  # queue.Empty, of a type that multiprocessing hides
                timeout -= 0.2
                gone = {r for r, p in enumerate(started) if p.exitcode not in (None, 0)}
                if timeout <= 0 or gone | found.keys() == set(range(n)):
                    break
    finally:
        for process in started:
            process.kill()
    return [found.get(rank) for rank in range(n)]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _run(
    rank: int, size: int, port: int, answers: Any, work: Callable[..., Any], args: tuple[Any, ...], join: Any
) -> None:
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    from manyhands.processes import joined

    try:
        with (join or joined)():
            value = work(*args)
    except Exception as error:
        value = error
    answers.put((rank, value))
