"""Every method of the catalogue, or some, fitted to one table with its defaults."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from manyhands import Annotations
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning

__all__ = ["fitted"]

SETTINGS: dict[str, dict[str, Any]] = {"ibcc": {"sweeps": 0}}  # they set intervals, and no posterior
# A hundred classes of ten subtypes for 519 annotators would take some GB and hours.
LARGEST = {"ebcc": 1_000_000}  # annotators x labels x classes


def fitted(labels: Annotations, only: Sequence[str] = ()) -> Iterator[tuple[str, np.ndarray]]:
    """Name and chances of each; `only` these, or all."""
    size = labels.n_annotators * labels.n_classes**2
    for method in methods_for(labels.kind):
        if (only and method.name not in only) or size > LARGEST.get(method.name, size):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = method.make(**SETTINGS.get(method.name, {}))
            yield method.name, model.fit(labels).result_.chances
