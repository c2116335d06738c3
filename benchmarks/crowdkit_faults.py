"""Runs in the peer's environment: what crowd-kit answers to small questions whose answer is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from crowdkit import aggregation
from crowdkit.metrics.data import alpha_krippendorff

__all__ = ["answers"]

# Thirty tasks, two thirds of them a; w2 errs on every fifth task, w3 on every third, w4 says a whatever it is.
TRUTH = [int(i % 3 == 2) for i in range(30)]
WRONG = {2: 5, 3: 3}
VOTES = [
    (f"t{i}", f"w{j}", "ab"[0 if j == 4 else z ^ (j in WRONG and i % WRONG[j] == 0)])
    for i, z in enumerate(TRUTH)
    for j in range(5)
]


def frame(rows: list[tuple[str, str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def distinct_starts() -> str:
    """How many different starts ten restarts of MACE have."""
    model = aggregation.MACE(n_restarts=10, n_iter=1, random_state=0)
    seen, plain = [], model._initialize

    def watched(*sizes: int) -> None:
        plain(*sizes)
        seen.append(model.spamming_.tobytes() + model.thetas_.tobytes())

    model._initialize = watched
    model.fit(frame(VOTES))
    return str(len(set(seen)))


def nan_task(method: str) -> Callable[[], str]:
    """The probability of "a" for a task whose only label is missing."""

    def ask() -> str:
        votes = frame([*VOTES, ("silent", "w0", np.nan)])
        chances = getattr(aggregation, method)().fit_predict_proba(votes)
        return f"{chances.loc['silent'].iloc[0]:.4f}" if "silent" in chances.index else "the task is gone"

    return ask


def many_votes() -> str:
    """3 000 votes on one task, two thirds for a: the probability of a."""
    votes = frame([("t0", f"w{j}", "aab"[j % 3]) for j in range(3000)])
    chances = aggregation.MACE(n_restarts=1, n_iter=10).fit_predict_proba(votes)
    return f"{chances.loc['t0', 'a']:.4f}"


def smoothing() -> str:
    """Whether a smoothing of .01 and one of 100 give different answers."""
    low, high = (
        aggregation.MACE(n_restarts=1, n_iter=10, method="em", smoothing=s).fit_predict_proba(frame(VOTES))
        for s in (0.01, 100.0)
    )
    return "equal" if np.array_equal(low.to_numpy(), high.to_numpy()) else "different"


def wawa() -> str:
    """The consensus of t0, on which all agree but w2 and w3."""
    return str(aggregation.Wawa().fit_predict(frame(VOTES))["t0"])


def alpha_alone() -> str:
    """Krippendorff's alpha where no task has two votes."""
    return str(alpha_krippendorff(frame([("t0", "w0", "a"), ("t1", "w1", "b")])))


QUESTIONS: dict[str, Callable[[], str]] = {
    "restarts": distinct_starts,
    "nan-ds": nan_task("DawidSkene"),
    "nan-mv": nan_task("MajorityVote"),
    "many-votes": many_votes,
    "smoothing": smoothing,
    "wawa": wawa,
    "alpha": alpha_alone,
}


def answers() -> dict[str, str]:
    """Each question's answer; an error is an answer too."""
    found = {}
    for name, ask in QUESTIONS.items():
        try:
            found[name] = ask()
        except Exception as error:
            found[name] = f"{type(error).__name__}: {str(error)[:60]}"
    return found
