"""Known truths, to score against and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..annotations import Annotations
from ..annotations.truth import with_truth
from ..metrics.against_truth import class_figures, number_figures
from ..results.posterior import NumberPosterior, Posterior

__all__ = ["figures_of", "truth_codes"]


def truth_codes(truth: Any, labels: Annotations) -> np.ndarray:
    """[units] codes, -1 where unknown, one above all where nobody used the class; or numbers, nan.

    >>> labels = Annotations.from_matrix([[0, 1], [1, 1], [0, 0]])
    >>> truth_codes([1, None, 7], labels).tolist()
    [1, -1, 2]
    """
    grown = with_truth(replace(labels, truth=None), truth, grow=True)
    assert grown.truth is not None
    if labels.kind == "number" or not len(grown.unit_classes):
        return grown.truth
    codes = labels.unit_classes.codes(grown.unit_classes)
    codes = np.append(np.where(codes < 0, len(labels.unit_classes), codes), -1)
    return np.asarray(codes[grown.truth])


def figures_of(posterior: Posterior, truth: np.ndarray, labels: Annotations) -> dict[str, float]:
    """How right a belief is."""
    if isinstance(posterior, NumberPosterior):
        return number_figures(posterior.mean, truth)
    return class_figures(posterior.chances, truth, ordered=labels.is_ordered)
