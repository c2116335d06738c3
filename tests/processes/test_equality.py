"""The result does not depend on how many processes share the tasks: every method that learns from sums."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import manyhands as mh
from manyhands import processes
from manyhands.annotations import Annotations, shard_of
from manyhands.errors import UnsupportedError

from .group import in_processes

# Of seeds by which no stop hangs on the last bits of float32.
CROWDS: dict[str, dict[str, Any]] = {
    "class": {"crowd": "biased", "n_classes": 4, "n_tasks": 400, "n_annotators": 25, "seed": 3},
    "ordinal": {"crowd": "thresholds", "n_classes": 5, "n_tasks": 200, "n_annotators": 12, "seed": 1},
    "tags": {"crowd": "tags", "n_tasks": 30, "n_annotators": 6, "seed": 1},
    "number": {"crowd": "numbers", "n_tasks": 200, "n_annotators": 10, "seed": 2},
    "soft": {"crowd": "soft", "n_tasks": 100, "n_annotators": 8, "seed": 6},
    "set": {"crowd": "sets", "n_tasks": 60, "n_annotators": 6, "redundancy": 4, "seed": 5},
}
METHODS = [m.name for m in mh.METHODS.values() if getattr(m.make(), "sums", False)]
CASES = [(name, kind) for name in METHODS for kind in CROWDS if kind in mh.METHODS[name].make().kinds]


def table(kind: str) -> Annotations:
    return mh.simulate(**CROWDS[kind]).labels


def shard(labels: Annotations, rank: int, size: int, empty: bool = False) -> Annotations:
    """The tasks of one process, with the annotators and classes that occur in them alone; the last has none if asked."""
    part = labels[shard_of(labels.tasks, size - empty) == rank]
    if not part.n_answers or labels.kind in ("tags", "set", "soft"):
        return part
    seen = np.unique(part.annotator)
    place = np.full(part.n_annotators, -1, dtype=np.int32)
    place[seen] = np.arange(len(seen))
    from dataclasses import replace

    return replace(part, annotators=part.annotators.take(seen), annotator=place[part.annotator])


def settings(name: str) -> dict[str, Any]:
    return {"ibcc": {"sweeps": 3}, "ebcc": {"n_subtypes": 3, "n_init": 2}}.get(name, {})


def fitted(
    name: str, labels: Annotations
) -> tuple[list[Any], np.ndarray, list[Any], list[float], dict[str, Any]]:
    """Tasks, what is believed of their units, the consensus, the objectives, and what is said of annotators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mh.METHODS[name].make(**settings(name)).fit(labels).result_
    numbers = labels.kind == "number"
    believed = np.stack([result.numbers.mean, result.numbers.sd], 1) if numbers else result.chances
    objectives = [entry["objective"] for entry in result.history]
    said = {k: v for k, v in result.evidence.columns().items() if v.dtype.kind == "f"}
    who = result.labels.annotators.to_list()
    known = {k: dict(zip(who, v.tolist(), strict=True)) for k, v in said.items()}
    consensus = result.consensus()["label"].to_list()
    by_task = [believed[a:b] for a, b in zip(labels.unit_offsets[:-1], labels.unit_offsets[1:], strict=True)]
    return labels.tasks.to_list(), by_task, consensus, objectives, known  # type: ignore[return-value]


def work(cases: list[tuple[str, str]], empty: bool) -> list[Any]:
    rank, size = processes.rank(), processes.size()
    return [fitted(name, shard(table(kind), rank, size, empty)) for name, kind in cases]


def compare(cases: list[tuple[str, str]], n: int, empty: bool = False) -> None:
    answers = in_processes(n, work, cases, empty, timeout=500)
    for answer in answers:
        if not isinstance(answer, list):
            raise AssertionError(f"a process ended with {answer!r}")
    for place, (name, kind) in enumerate(cases):
        tasks, believed, consensus, objectives, known = fitted(name, table(kind))
        expected = {task: (b, c) for task, b, c in zip(tasks, believed, consensus, strict=True)}
        for rank in range(n):
            its = answers[rank][place]
            assert len(its[3]) == len(objectives), (name, kind, its[3], objectives)
            assert np.allclose(its[3], objectives, rtol=1e-6), (name, kind)
            for column, values in its[4].items():
                for who, value in values.items():
                    assert value == pytest.approx(known[column][who], abs=1e-4, nan_ok=True), (
                        name,
                        kind,
                        column,
                    )
            for task, b, c in zip(*its[:3], strict=True):
                assert np.allclose(b, expected[task][0], atol=1e-5, rtol=1e-5), (name, kind, task)
                same = (
                    c == pytest.approx(expected[task][1], rel=1e-6)
                    if kind == "number"
                    else c == expected[task][1]
                )
                assert same, (name, kind, task)
        assert sorted(t for rank in range(n) for t in answers[rank][place][0]) == sorted(tasks)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 4])
def test_every_method_with_sums_finds_the_same_in_several_processes(n: int) -> None:
    compare(CASES, n)


@pytest.mark.slow
def test_an_empty_shard_changes_nothing() -> None:
    compare(CASES, 3, empty=True)


@pytest.mark.slow
def test_two_processes_find_what_one_finds() -> None:
    compare([("dawid-skene", "class"), ("wawa", "class"), ("precision-weighted", "number")], 2)


def _refused() -> str:
    try:
        mh.GLAD().fit(table("class"))
    except UnsupportedError as error:
        with processes.alone():
            return str(error) + str(len(mh.GLAD(max_iter=2).fit(table("class")).result_.chances))
    return "taken"


@pytest.mark.slow
def test_methods_without_sums_are_refused_unless_alone() -> None:
    for found in in_processes(2, _refused):
        assert "glad does not learn from sums over tasks, so 2 processes" in found
        assert found.endswith("400")
