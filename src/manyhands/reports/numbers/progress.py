"""How the fit went: every figure of the history, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...results import Result

__all__ = ["Progress", "progress"]

POINTS = 300  # of a curve; longer ones are thinned
TITLES = {
    "objective": "log-likelihood (with priors)",
    "loss": "training loss",
    "held_out_log_likelihood": "held-out log-likelihood a label",
}
STEPS = ("iteration", "epoch")


@dataclass(frozen=True)
class Progress:
    """One figure over the steps. phases: what each step was, where the method has several."""

    title: str
    step: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    phases: tuple[str, ...] = ()


def progress(result: Result) -> tuple[Progress, ...]:
    """A curve a figure; none for a method that does not iterate.

    >>> from manyhands import Annotations, DawidSkene
    >>> labels = Annotations.from_matrix([[0, 0, 1], [1, 1, 1], [0, 1, 0]])
    >>> [curve.title for curve in progress(DawidSkene(shared=1.0).fit(labels).result_)]
    ['log-likelihood (with priors)']
    """
    history = result.history
    if len(history) < 2:
        return ()
    step = next((name for name in STEPS if name in history[0]), "step")
    curves = (_curve(history, key, TITLES[key], step) for key in TITLES)
    return tuple(curve for curve in curves if len(curve.values) > 1)


def _curve(history: Sequence[dict[str, Any]], key: str, title: str, step: str) -> Progress:
    told = [
        (int(entry.get(step, n)), entry)
        for n, entry in enumerate(history)
        if isinstance(entry.get(key), (int, float))
    ]
    stride = -(-len(told) // POINTS) or 1
    kept = told[::stride] if not told or told[-1] is told[::stride][-1] else [*told[::stride], told[-1]]
    phases = tuple(str(entry["phase"]) for _, entry in kept if "phase" in entry)
    return Progress(
        title, step, tuple(n for n, _ in kept), tuple(float(entry[key]) for _, entry in kept),
        phases if len(phases) == len(kept) else (),
    )  # fmt: skip
