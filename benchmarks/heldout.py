"""How well each method predicts answers that it has not seen: a choice that needs no truth."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from manyhands import MACE, Annotations, DawidSkene, OneCoin, split
from manyhands.errors import ConvergenceWarning
from manyhands.selection.own_account import own_log_likelihood

from .real_crowds import class_crowds
from .tables import publish

__all__ = ["MODELS", "heldout_likelihood", "run"]

SHARED = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 16.0, 32.0)
MODELS: dict[str, Any] = {
    **{f"shared={s:g}": DawidSkene(shared=s) for s in SHARED},
    "right=2, wrong=1": DawidSkene(right=2, wrong=1),
    "one-coin": OneCoin(),
    "mace": MACE(),
}
NOTES = """
Mean over the crowd's held-out answers of ln p(answer), where p = sum_k q_i(k) T_j[k, answer], from a fit on the other
nine tenths; mean of the splits. Higher is better; the last row is the mean over crowds. `shared` is the votes that
each row of a confusion matrix borrows from the crowd's common one. No truth was used: the default of `aggregate`
(dawid-skene-map) takes its `shared` from here.
"""


def heldout_likelihood(model: Any, labels: Annotations, seed: int) -> float:
    """Mean of ln sum_k q_i(k) T_j[k, l] over a tenth of the answers, held out of the fit."""
    seen, held = split(labels, 0.1, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = model.fit(seen).result_
    return float(own_log_likelihood(result, held).mean())


def run(crowds: Sequence[str], seeds: int, **out: Any) -> None:
    """The table of all crowds."""
    rows: list[dict[str, Any]] = []
    for crowd in class_crowds(tuple(crowds)):
        row: dict[str, Any] = {"crowd": crowd.name}
        for name, model in MODELS.items():
            row[name] = float(np.mean([heldout_likelihood(model, crowd.labels, s) for s in range(seeds)]))
        rows.append(row)
        print(crowd.name, file=sys.stderr, flush=True)
    mean = {name: float(np.mean([row[name] for row in rows])) for name in MODELS}
    rows.append({"crowd": f"mean of {len(rows)}", **mean})
    publish("heldout", f"Held-out answers, log-likelihood ({seeds} splits)", rows, notes=NOTES, **out)
