"""Sums, agreement, and what happens when one of several processes is gone."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest
import torch

from manyhands import processes
from manyhands.errors import ProcessError

from .group import in_processes


def _sums() -> tuple[list[float], list[int], str, int]:
    rank = processes.rank()
    dense, empty = torch.full((3,), 10.0**rank, dtype=torch.float64), torch.zeros(0)
    processes.add_up(dense, empty)
    with processes.alone():
        mine = torch.full((1,), float(rank))
        processes.add_up(mine)
        assert mine == rank
        assert processes.size() == 1
    return dense.tolist(), processes.gathered(rank), processes.first(f"of {rank}"), processes.size()


def test_sums_and_gathering() -> None:
    for found in in_processes(3, _sums):
        assert found == ([111.0] * 3, [0, 1, 2], "of 0", 3)


def test_alone_nothing_happens() -> None:
    one = torch.ones(2)
    processes.add_up(one)
    processes.agree("anything", 1)
    with processes.joined():
        assert one.tolist() == [1, 1]
        assert processes.gathered(5) == [5]
        assert processes.first(6) == 6


def _differ() -> None:
    processes.agree("the classes", ["a", "b"][: 1 + processes.rank()])


@pytest.mark.slow
def test_processes_that_differ_are_refused_with_both_values() -> None:
    for found in in_processes(2, _differ):
        assert isinstance(found, ProcessError)
        assert "differ in the classes: process 0 has ['a'], process 1 has ['a', 'b']" in str(found)


def _ends(how: str) -> None:
    for step in range(2000):
        processes.add_up(torch.ones(1))
        if step == 10 and processes.rank() == 1:
            if how == "raise":
                raise ValueError("a fault of its own")
            os.kill(os.getpid(), getattr(signal, how))
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "word"), [("SIGKILL", "said nothing"), ("raise", "ValueError: a fault of its own"),
                                           ("SIGSTOP", "said nothing")])  # fmt: skip
def test_the_others_stop_with_the_name_of_who_is_gone(how: str, word: str) -> None:
    began = time.monotonic()
    found = in_processes(3, _ends, how, enough=3 if how == "raise" else 2)
    assert time.monotonic() - began < 75  # of which up to 10 to start
    for error in (found[0], found[2]):
        assert isinstance(error, ProcessError)
        assert error.ranks == [1]
        assert "process 1 of 3 (rank 1)" in str(error)
        assert word in str(error)


def _other_version() -> None:
    """Nothing: joining is what fails."""


@pytest.mark.slow
def test_other_versions_are_refused_at_the_start() -> None:
    found: list[Any] = in_processes(2, _other_version, join=_join_as_other)
    for error in found:
        assert isinstance(error, ProcessError)
        assert error.ranks == [0, 1]
        assert "manyhands 0.0.0" in str(error)
        assert "torch 2." in str(error)
        assert "processes differ in versions" in str(error)


def _join_as_other() -> Any:
    if os.environ["RANK"] == "1":
        processes.versions = lambda: "manyhands 0.0.0, torch 2.0.0"
    return processes.joined()


@pytest.mark.slow
def test_a_group_whose_first_process_does_not_come_is_given_up() -> None:
    (found,) = in_processes(1, _sums, join=_join_nobody)
    assert isinstance(found, ProcessError)
    assert found.ranks == [0]
    assert "was not reached within 2 s" in str(found)


def _join_nobody() -> Any:
    os.environ |= {"RANK": "1", "WORLD_SIZE": "2"}
    processes.ARRIVAL = 2.0  # type: ignore[misc]
    return processes.joined()
