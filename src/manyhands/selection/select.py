"""`manyhands.select`: which method to believe, where no truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..annotations import Annotations
from ..errors import LabelError, ParameterError
from .candidates import candidates
from .comparing import compared
from .judging import Tell, try_all
from .sampling import sampled_tasks
from .selection import Everything, Selection
from .truths import truth_codes

__all__ = ["select"]

LEAST = 10  # answers


def select(
    labels: Any,
    X: Any = None,
    methods: Any = None,
    *,
    by: str | None = None,
    truth: Any = None,
    folds: int | None = None,
    max_answers: int = 200_000,
    max_seconds: float | None = None,
    random_state: int = 0,
    progress: Tell | None = None,
) -> Selection:
    """Judge methods by how well they predict answers that were hidden from them.

    Every answer is hidden once, in the same folds for all methods. What a method then believes of the
    task goes through one link, the same for all, to the chance of the hidden answer. The pick is the
    method nearest to the *stack*: the mixture of methods that makes the hidden answers likeliest.

    Args:
        labels: `Annotations`, a data frame, or a wide matrix.
        X: features, row i of task i; then methods that learn from features are judged.
        methods: names of the catalogue, unfitted estimators, or a mapping from name to either; None: all that suit.
        by: "labels" judges what is believed of a task by its other answers (and its features); "features" by
            its features alone. Default: features where X is given.
        truth: to score against, never used in a fit: what `labels.with_truth` takes.
        folds: how many parts answers are hidden in; None: 5, with features 3.
        max_answers: of a larger table, tasks drawn at random are judged.
        max_seconds: stop after the fold that this time leads to, and leave out methods too slow for it; then the
            outcome depends on the machine.
        random_state: decides the folds, the sample and the methods' own starts.
        progress: called with how much is done, what is next, of how much.

    >>> import manyhands as mh
    >>> crowd = mh.simulate("spammers", n_tasks=200, n_annotators=20, seed=1)
    >>> chosen = mh.select(crowd.labels, methods=["majority", "one-coin", "mace"], folds=3)
    >>> chosen.pick, chosen.pick_.result_.labels.n_tasks
    ('mace', 200)
    """
    from ..models.aggregator import as_annotations

    whole = as_annotations(labels)
    X = None if X is None else _features(X, whole)
    if max_answers < LEAST:
        raise ParameterError(f"max_answers={max_answers!r}: at least {LEAST} are needed to say anything")
    by = by or ("labels" if X is None else "features")
    made = candidates(methods, whole.kind, X is not None, by, random_state)
    chosen = sampled_tasks(whole, max_answers, random_state)
    judged, features = (whole, X) if chosen is None else (whole[chosen], None if X is None else X[chosen])
    trial = try_all(
        judged,
        features,
        made,
        by=by,
        folds=folds or (5 if X is None else 3),
        seed=random_state,
        max_seconds=max_seconds,
        tell=progress,
    )
    rows, stack, outcome = compared(judged, trial)
    everything = Everything(whole, X, {c.name: c for c in made}, chosen)
    selection = Selection(
        rows, outcome, by, trial.folds, len(trial.hidden.unit), (judged.n_tasks, whole.n_tasks), trial.failed,
        judged, stack, trial.posteriors, trial.models, everything,
    )  # fmt: skip
    return selection if truth is None else selection.scored(truth_codes(truth, whole))


def _features(X: Any, labels: Annotations) -> Any:
    """Features whose rows can be chosen by their places."""
    from ..models.inputs import check_ids

    check_ids(X, labels)
    if not hasattr(X, "tocsr"):
        X = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if X.shape[0] != labels.n_tasks:
        raise LabelError(
            f"there are {X.shape[0]} rows of features but {labels.n_tasks} tasks: put the tasks in the order of the "
            f"rows with labels.align(ids)"
        )
    return X
