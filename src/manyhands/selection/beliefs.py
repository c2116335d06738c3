"""What a fitted method believes of the truths, as rows: chances of classes, or mean and deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results import Result
from ..results.posterior import ClassPosterior, NumberPosterior, Posterior

__all__ = ["posterior_of", "rows_of"]


def posterior_of(model: Any, X: Any, by: str) -> Posterior:
    """By the labels (and features, where it takes them), or by the features alone."""
    if by == "features":
        if hasattr(model, "predict_proba"):
            return ClassPosterior(np.asarray(model.predict_proba(X)))
        return NumberPosterior(*model.predict(X, return_std=True))
    result: Result = model.result_
    return result.posterior


def rows_of(posterior: Posterior) -> np.ndarray:
    """[units, classes], or [units, 2]: mean and deviation."""
    if isinstance(posterior, NumberPosterior):
        return np.column_stack([posterior.mean, posterior.sd])
    return posterior.chances
