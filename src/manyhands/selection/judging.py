"""Every method fitted without each fold, and asked for the truths behind the votes that were hidden."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import ConvergenceWarning, LabelWarning, ManyhandsError
from ..results.posterior import Posterior
from .beliefs import posterior_of, rows_of
from .candidates import Candidate
from .hiding import HiddenVotes, folds_of, hidden_votes

__all__ = ["Trial", "try_all"]

Tell = Callable[[int, str, int], Any]  # done, what, of how many


@dataclass
class Trial:
    """What all methods said, of the same hidden votes.

    beliefs: of each hidden vote's unit; posteriors and models: of the fit on everything.
    failed: why a method could not be fitted. folds: how many were hidden, of how many.
    """

    hidden: HiddenVotes
    folds: tuple[int, int]
    beliefs: dict[str, np.ndarray] = field(default_factory=dict)
    posteriors: dict[str, Posterior] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def try_all(
    labels: Annotations,
    X: Any,
    methods: list[Candidate],
    *,
    by: str,
    folds: int,
    seed: int,
    max_seconds: float | None,
    tell: Tell | None,
) -> Trial:
    """Fit on everything, then fold by fold: when time is up, all have been judged on the same votes."""
    fold = folds_of(labels, folds, seed)
    trial = Trial(hidden_votes(labels, fold), (folds, folds))
    work = _Work(labels, X, methods, by, trial, tell, (folds + 1) * len(methods), max_seconds)
    begun = time.perf_counter()
    for part in [None, *range(folds)]:
        start = time.perf_counter()
        for candidate in methods:
            work.one(candidate, part, fold)
        last = time.perf_counter()
        if max_seconds is not None and part is not None and last - begun + (last - start) > max_seconds:
            trial.folds = (part + 1, folds)
            break
    shown = trial.hidden.fold < trial.folds[0]
    trial.hidden = trial.hidden.of(shown)
    trial.beliefs = {
        c.name: work.rows[c.name][: int(shown.sum())] for c in methods if c.name not in trial.failed
    }
    return trial


@dataclass
class _Work:
    labels: Annotations
    X: Any
    methods: list[Candidate]
    by: str
    trial: Trial
    tell: Tell | None
    total: int
    max_seconds: float | None
    rows: dict[str, np.ndarray] = field(default_factory=dict)
    done: int = 0

    def one(self, candidate: Candidate, part: int | None, fold: np.ndarray) -> None:
        """One method on one fold, or on everything."""
        name = candidate.name
        if self.tell is not None:
            self.tell(self.done, name, self.total)
        self.done += 1
        if name in self.trial.failed:
            return
        seen = self.labels if part is None else self.labels.where(fold != part)
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", LabelWarning)
                model = candidate.fit(seen, self.X)
        except ManyhandsError as error:
            return self._fail(name, str(error))
        posterior = posterior_of(model, self.X, self.by)
        seconds = time.perf_counter() - start
        self.trial.seconds[name] = self.trial.seconds.get(name, 0.0) + seconds
        if part is not None:
            return self._keep(name, rows_of(posterior), part)
        self.trial.models[name], self.trial.posteriors[name] = model, posterior
        if self.max_seconds is not None and seconds * self.trial.folds[1] > self.max_seconds > 0:
            self._fail(name, f"one fit took {seconds:.1f} s, too long for max_seconds={self.max_seconds:g}")

    def _fail(self, name: str, why: str) -> None:
        self.trial.failed[name] = why
        self.trial.models.pop(name, None)
        self.trial.posteriors.pop(name, None)

    def _keep(self, name: str, rows: np.ndarray, part: int) -> None:
        hidden = self.trial.hidden
        if hidden.n_classes and not np.isfinite(rows).all():
            return self._fail(name, "its chances of classes are no numbers")
        here = hidden.fold == part
        kept = self.rows.setdefault(name, np.empty((len(here), rows.shape[1]), dtype=rows.dtype))
        kept[here] = rows[hidden.unit[here]]
