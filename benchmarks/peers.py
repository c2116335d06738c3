"""The peer, crowd-kit, in an environment of its own: found, asked, and left alone where absent."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manyhands import Annotations

from .processes import ROOT, fresh

__all__ = ["NEEDED", "ask", "peer_posteriors", "peer_python"]

NEEDED = "needs crowd-kit in an environment of its own: `make peers`, or set MANYHANDS_PEERS to its python"
WORKER = "benchmarks.crowdkit_worker"
PATIENCE = 90.0  # seconds for a real crowd; all but one take a few


def peer_python() -> Path | None:
    """The python of the peer's environment; None where there is none."""
    place = Path(os.environ.get("MANYHANDS_PEERS") or ROOT / ".venv-peers/bin/python")
    return place if place.exists() else None


def ask(task: str, timeout: float | None = None, threads: int = 1, **job: Any) -> dict[str, Any]:
    """What the peer's process answers to a job."""
    python = peer_python()
    if python is None:
        return {"error": NEEDED}
    return fresh(WORKER, {"task": task, **job}, python=python, threads=threads, timeout=timeout)


def peer_posteriors(
    labels: Annotations,
    method: str,
    iterations: Sequence[int],
    *,
    tol: float | None = None,
    timeout: float = PATIENCE,
) -> dict[int, np.ndarray] | str:
    """The peer's posterior [tasks, classes] after so many iterations, in our order.

    tol: None lets it run all of them. An error, or no answer in time, comes back as its text.
    """
    with tempfile.TemporaryDirectory() as folder:
        votes, answers = Path(folder, "votes.npz"), Path(folder, "posteriors.npz")
        spoken = labels.answers.values >= 0
        np.savez(
            votes,
            task=labels.task[spoken],
            worker=labels.annotator[spoken],
            label=np.asarray(labels.answers.values)[spoken],
            sizes=np.array([labels.n_tasks, labels.n_classes]),
        )
        said = ask(
            "posteriors", timeout, votes=str(votes), out=str(answers), method=method,
            iterations=list(iterations), tol=tol,
        )  # fmt: skip
        if "error" in said:
            return str(said["error"])
        with np.load(answers) as found:
            return {n: found[f"after_{n}"] for n in iterations}
