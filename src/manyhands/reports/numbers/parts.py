"""What a model's channel is made of, for people: CMM's groups, CoNAL's common noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...results import Result
from .words import name_of

__all__ = ["Part", "Parts", "parts"]

SHOWN = 16  # classes a matrix can have in print


@dataclass(frozen=True)
class Part:
    """One matrix, p(label | truth). share: of all labels; members: annotators who belong to it most."""

    title: str
    share: float | None
    matrix: tuple[tuple[float, ...], ...]
    members: int | None
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Parts:
    """title: what they are; says: how to read them, and what they do not say."""

    title: str
    says: str
    classes: tuple[str, ...]
    parts: tuple[Part, ...]


def parts(model: Any, result: Result) -> Parts | None:
    """The groups of CMM, or the common matrix of CoNAL; None for other models."""
    channel = getattr(model, "channel_", None)
    if channel is None or result.labels.n_classes > SHOWN:
        return None
    if hasattr(channel, "log_matrices") and hasattr(channel, "group_shares"):
        return _groups(channel, result)
    return _common(channel, result) if hasattr(channel, "common_confusions") else None


def _groups(channel: Any, result: Result) -> Parts:
    matrices = _array(channel.log_matrices().exp())
    shares, belongings = _array(channel.group_shares()), _array(channel.belongings())
    own = getattr(getattr(channel, "spec", None), "per", "annotation") == "annotator"
    answered = np.bincount(result.votes.annotator, minlength=len(belongings)) > 0
    nearest = np.where(answered, belongings.argmax(axis=1), -1)
    found = tuple(
        Part(
            f"Group {m + 1}", float(shares[m]), _rows(matrix), int((nearest == m).sum()),
            _examples(result, np.where(nearest == m, belongings[:, m], -1.0)),
        )
        for m, matrix in enumerate(matrices)
    )  # fmt: skip
    says = (
        "Each annotator belongs to one group, and each group has one matrix."
        if own
        else "The group is drawn anew for every label. Only the mixture of the matrices can be learnt from labels: "
        "how it is divided into groups is what the start of the training left, so read groups as a summary, and "
        "never count them."
    )
    return Parts("Groups", says, _classes(result), found)


def _common(channel: Any, result: Result) -> Parts:
    matrices, shares = _array(channel.common_confusions()), _array(channel.mean_shares())
    answers = np.bincount(result.votes.annotator, minlength=len(shares)).astype(float)
    own = _array(channel.individual_confusions())
    mean = np.einsum("j,jkl->kl", answers / max(answers.sum(), 1.0), own)
    share = float((shares.mean(axis=1) * answers).sum() / max(answers.sum(), 1.0))
    several = len(matrices) > 1
    found = [
        Part(
            f"Common noise{f' {g + 1}' if several else ''}",
            None if several else share,
            _rows(matrix),
            None,
            (),
        )
        for g, matrix in enumerate(matrices)
    ]
    found.append(Part("Their own noise, on average", 1 - share, _rows(mean), None, ()))
    says = (
        "Each label comes either from a noise that all annotators share or from their own; the share says how "
        "often, on average, before the label is seen. Confusions in the common matrix are the guidelines' or "
        "the tasks'; those of their own are the people's."
    )
    return Parts("Common and individual noise", says, _classes(result), tuple(found))


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().double().numpy())


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.round(4).tolist())


def _classes(result: Result) -> tuple[str, ...]:
    return tuple(name_of(name) for name in result.classes)


def _examples(result: Result, belonging: np.ndarray) -> tuple[str, ...]:
    most = np.argsort(-belonging, kind="stable")[:5]
    return tuple(name_of(result.labels.annotators[int(j)]) for j in most if belonging[j] > 0)
