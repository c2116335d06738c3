"""All agreement figures that fit a crowd's kind of label, in one table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from .alpha import alpha_of, values_of
from .bootstrap import Resampling, resampling
from .chance import ac1_of, fleiss_of, percentage_of
from .cohen import MIN_SHARED, mean_kappa_of
from .correlation import mean_correlation_of
from .figures import Agreement, Figure
from .votes import Votes, collect

__all__ = ["agreement"]


def agreement(labels: Annotations, *, level: float = 0.95, n_boot: int = 1000, seed: int = 0) -> Agreement:
    """How far the annotators agree, with intervals from a bootstrap over tasks.

    Classes: percentage, alpha_nominal, fleiss_kappa, gwet_ac1, cohen_kappa (mean over pairs).
    Ordinal: also alpha_ordinal, and alpha_interval by the numbers or places of the classes.
    Numbers: alpha_interval and correlation (mean over pairs). Tags: as classes, token by token.
    Sets: as classes, over all (task, label) pairs; `by_label` has those of each label. Soft labels:
    as classes, each judge's most probable one. docs/agreement.md has every definition.

    >>> labels = Annotations.from_matrix([[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]])
    >>> figures = agreement(labels)
    >>> list(figures)
    ['percentage', 'alpha_nominal', 'fleiss_kappa', 'gwet_ac1', 'cohen_kappa']
    >>> round(figures["alpha_nominal"].value, 3)
    0.5
    """
    how = resampling(level, n_boot, seed)
    votes = collect(labels, seed)
    if labels.kind == "number":
        figures = (alpha_of(votes, "interval", None, how), mean_correlation_of(votes, MIN_SHARED, how))
        return Agreement("number", figures)
    by_label = _of_each_label(labels, votes, how) if labels.kind == "set" else {}
    return Agreement(labels.kind, _of_classes(labels, votes, how), by_label)


def _of_classes(labels: Annotations, votes: Votes, how: Resampling) -> tuple[Figure, ...]:
    ordered: tuple[Figure, ...] = ()
    if labels.kind == "ordinal":
        ordered = (alpha_of(votes, "ordinal", None, how), alpha_of(votes, "interval", values_of(labels), how))
    return (
        percentage_of(votes, how),
        alpha_of(votes, "nominal", None, how),
        *ordered,
        fleiss_of(votes, how),
        ac1_of(votes, how),
        mean_kappa_of(votes, MIN_SHARED, how),
    )


def _of_each_label(labels: Annotations, votes: Votes, how: Resampling) -> dict[Any, tuple[Figure, ...]]:
    assert labels.classes is not None
    label_of = np.arange(labels.n_units) % max(len(labels.classes), 1)
    return {
        name: _of_classes(labels, votes.on(label_of == place), how)
        for place, name in enumerate(labels.classes)
    }
