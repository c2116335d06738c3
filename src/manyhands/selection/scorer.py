"""Held-out answers as a score for scikit-learn's searches and cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import ParameterError
from .hiding import folds_of
from .own_account import own_log_likelihood

__all__ = ["heldout_scorer"]

FOLDS = 5


def heldout_scorer(estimator: Any, X: Any, y: Any = None) -> float:
    """The mean log-likelihood of answers that a fitted estimator has not seen, for `scoring=`.

    An aggregator is given a table of other tasks as X: every answer is hidden once and predicted from
    the others of its task, the annotators being as they were fitted. A classifier is given features and
    their `Annotations` as y, and predicts from the features alone. An annotator who was not fitted
    answers as the fitted ones do on average.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from manyhands import DawidSkene, simulate
    >>> labels = simulate("confusion", n_tasks=200, n_annotators=20, seed=0).labels
    >>> search = GridSearchCV(DawidSkene(), {"shared": [0.0, 10.0]}, scoring=heldout_scorer, cv=3)
    >>> search.fit(labels).best_params_
    {'shared': 10.0}
    """
    if y is not None:
        if not isinstance(y, Annotations):
            raise ParameterError(
                f"y is a {type(y).__name__}: held-out answers are Annotations; gold has other scorers"
            )
        return float(estimator.score(X, y))
    from ..models.aggregator import as_annotations

    labels = as_annotations(X)
    fold = folds_of(labels, FOLDS)
    parts = [
        own_log_likelihood(estimator.result_.infer(labels.where(fold != f)), labels.where(fold == f))
        for f in range(FOLDS)
    ]
    return float(np.concatenate(parts).mean())
