"""A model whose channel or network sees the task: competence by task, and f(x) of tasks that nobody answered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results import Result
from .answers import ChannelAnswers

__all__ = ["ONE_UNIT", "channel_answers", "with_features"]

ONE_UNIT = ("class", "ordinal", "soft")  # a row of features is of a task, and so of its one unit


def channel_answers(
    source: Any, result: Result, place: np.ndarray, who: np.ndarray, X: Any
) -> ChannelAnswers | None:
    """Of a model whose channel sees the task: nothing, where its features are not at hand."""
    from ..channels.module import TableModule

    learner = getattr(source, "learner_", None)
    if result.labels.kind not in ONE_UNIT:
        return None
    if learner is None or not learner.channel.is_probability or (
        X is None and isinstance(learner.channel, TableModule)
    ):  # fmt: skip
        return None
    features = _features(source, place, X)
    votes = result.votes
    if features is None:
        return None
    return ChannelAnswers(
        learner.channel, features, who, len(result.labels.annotators), votes.n_classes, votes.n_labels
    )


def _features(source: Any, place: np.ndarray, X: Any) -> Any:
    """Of the open tasks: those given, else those fitted, where they are still there."""
    from ..models.inputs import features_for
    from ..training.features import features_of

    if X is not None:
        return features_for(source, X, len(place), reset=False)
    fitted = source.learner_.features
    held = fitted.source
    if (hasattr(held, "__len__") and len(held) != len(fitted)) or place.max(initial=-1) >= len(fitted):
        return None
    import torch

    return features_of(fitted.rows(torch.from_numpy(place.astype(np.int64))))


def with_features(
    source: Any, answers: ChannelAnswers, chances: np.ndarray, place: np.ndarray, n: int, result: Result
) -> np.ndarray:
    """What the network says of tasks that nobody has answered yet."""
    counts = np.bincount(result.labels.task, minlength=n)
    silent = counts[place] == 0
    said = source.learner_.predict_log(answers.features).exp().double().cpu().numpy()
    return np.where(silent[:, None], said, chances)
