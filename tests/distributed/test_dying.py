"""A process that dies while all train: the others stop soon, and name it. What cannot be divided is refused by all."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

import manyhands as mh
from manyhands import networks, processes
from manyhands.errors import LabelError, ParameterError, ProcessError, UnsupportedError
from manyhands.training.callbacks import OnEpoch
from tests.processes.group import in_processes

from .made import MLP, crowd, shard_of


def _dies() -> None:
    X, labels = crowd("classes")
    mine = shard_of(labels.n_tasks, "turns")

    def kill(entry: dict[str, Any]) -> None:
        if processes.rank() == 1 and entry["epoch"] == 3:
            os.kill(os.getpid(), signal.SIGKILL)

    mh.SpeeLFC(MLP, epochs=5000, callbacks=[OnEpoch(kill)]).fit(X[mine], labels[mine], places=mine)


@pytest.mark.slow
def test_the_others_stop_with_the_name_of_who_died() -> None:
    began = time.monotonic()
    found = in_processes(2, _dies, enough=1)
    assert time.monotonic() - began < 90  # of which up to 30 to start
    assert isinstance(found[0], ProcessError)
    assert found[0].ranks == [1]


def _refused(case: str) -> list[str]:
    X, labels = crowd("classes")
    mine = shard_of(labels.n_tasks, "turns")
    sentences, tags = crowd("tags")
    some = shard_of(tags.n_tasks, "turns")
    words = {"X": [sentences[row] for row in some], "y": tags[some]}
    made: dict[str, Any] = {
        "chain": (mh.CrowdTagger(chain=True, objective="joint"), words, UnsupportedError),
        "pairs": (mh.MaxMIG(MLP), {}, UnsupportedError),
        "batch norm": (mh.CrowdClassifier(_normed), {}, UnsupportedError),
        "heads": (mh.DoctorNet(), {}, UnsupportedError),
        "features": (mh.SemiLFC(), {}, UnsupportedError),
        "whole": (mh.PersonalClassifiers(), {}, UnsupportedError),
        "no features": (mh.LIA(), {"X": None}, UnsupportedError),
        "places": (mh.SpeeLFC(MLP), {"places": mine * 0}, ParameterError),
        "parameters": (mh.SpeeLFC(MLP, epochs=1 + processes.rank()), {}, ProcessError),
        "silence": (mh.SpeeLFC(MLP), {"y": labels[mine].where(labels[mine].task < 0)}, LabelError),
    }
    told = []
    for name, (model, other, error) in made.items():
        given = {"X": X[mine], "y": labels[mine], **other}
        with pytest.raises(error) as caught:
            model.fit(given.pop("X"), given.pop("y"), **given)
        told.append(f"{name}: {caught.value}")
    return told


def _normed(n_features: int, n_classes: int) -> Any:
    from torch import nn

    return nn.Sequential(nn.Linear(n_features, 8), nn.BatchNorm1d(8), nn.Linear(8, n_classes))


@pytest.mark.slow
def test_what_cannot_be_divided_is_refused_by_every_process_with_the_reason() -> None:
    for told in in_processes(2, _refused, "all"):
        assert isinstance(told, list), told
        reasons = dict(line.split(": ", 1) for line in told)
        assert "chain=False, or one process" in reasons["chain"]
        assert "compares all pairs of a batch" in reasons["pairs"]
        assert "group norm or layer norm" in reasons["batch norm"]
        assert "0 to 179" in reasons["places"]
        assert "'epochs': 1" in reasons["parameters"]
        assert "'epochs': 2" in reasons["parameters"]
        assert "not one label" in reasons["silence"]


def _by_itself() -> tuple[float, int, str]:
    X, labels = crowd("classes")
    mine = shard_of(labels.n_tasks, "turns")
    together = mh.SpeeLFC(MLP, epochs=2).fit(X[mine], labels[mine])
    with pytest.raises(UnsupportedError) as caught:
        together.partial_fit(X[mine], labels[mine])
    rank = processes.rank()
    with mh.distributed.alone():
        assert (processes.rank(), processes.size()) == (0, 1)
        model = mh.SpeeLFC(networks.Linear(), epochs=1 + rank).fit(X, labels)
        together.partial_fit(X[mine], labels[mine])
    assert len(together.history_) == 3
    return model.history_[0]["loss"], len(model.history_), str(caught.value)


@pytest.mark.slow
def test_a_process_may_fit_for_itself() -> None:
    (first, one, told), (second, two, _) = in_processes(2, _by_itself)
    assert "alone()" in told
    assert first == second
    assert (one, two) == (1, 2)
