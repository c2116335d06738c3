"""`--engine ray` hands the verb over as it was asked for; Ray itself is tried in tests/distributed."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from manyhands import distributed

from .shell import run, table


def test_the_worker_runs_the_same_verb_and_what_it_prints_is_printed(monkeypatch, tmp_path):
    asked: dict[str, Any] = {}

    def begin(worker: Any, *args: Any, workers: int) -> Any:
        asked["workers"] = workers
        return worker(*pickle.loads(pickle.dumps(args)))  # as they go to another process

    monkeypatch.setattr(distributed, "on_ray", begin)
    votes = table(tmp_path / "votes.csv")
    there = run("aggregate", votes, "--method", "wawa", "--json", "--engine", "ray", "--workers", 3)
    here = run("aggregate", votes, "--method", "wawa", "--json")
    assert there.exit_code == here.exit_code == 0
    assert there.stdout == here.stdout != ""
    assert asked == {"workers": 3}


@pytest.mark.parametrize("verb", ["aggregate", "train"])
def test_an_engine_that_is_not_there_is_refused(verb, tmp_path):
    votes = table(tmp_path / "votes.csv")
    more = ("--features", votes, "--out", tmp_path / "m") if verb == "train" else ()
    told = run(verb, votes, *more, "--engine", "spark")
    assert told.exit_code == 2
    assert "'spark' must be ray" in " ".join(told.output.split())
