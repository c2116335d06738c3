"""How often each class was said, and how often it is believed to be true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...metrics import Agreement
from ...results import Result
from .words import name_of

__all__ = ["ClassShare", "class_shares"]


@dataclass(frozen=True)
class ClassShare:
    """One class. said: share of the labels; believed: share of the truths; units: of which it is the consensus.

    alpha: of sets, how far people agree on this label alone, with its interval; else None.
    """

    name: str
    said: float
    believed: float
    units: int
    alpha: tuple[float, float, float] | None = None


def class_shares(result: Result, agreed: Agreement) -> tuple[ClassShare, ...]:
    """A row a class; of sets a row a label, where the shares are those of yes.

    >>> from manyhands import Annotations, MajorityVote, agreement
    >>> labels = Annotations.from_matrix([[0, 0, 1, 0], [1, 1, 1, 1]])
    >>> [share.said for share in class_shares(MajorityVote().fit(labels).result_, agreement(labels))]
    [0.375, 0.625]
    """
    if result.labels.kind == "number":
        return ()
    return _of_sets(result, agreed) if result.labels.kind == "set" else _of_classes(result)


def _of_classes(result: Result) -> tuple[ClassShare, ...]:
    votes, classes = result.votes, result.classes
    weight = None if votes.weight is None else votes.weight
    said = np.bincount(votes.label, weight, votes.n_labels)[: len(classes)]
    told = np.bincount(votes.unit, minlength=votes.n_units) > 0
    chances = result.chances[told]
    believed = chances.sum(axis=0, dtype=np.float64)
    units = np.bincount(result.best[told], minlength=len(classes)) if len(classes) else said
    return tuple(
        ClassShare(name_of(name), _share(said, k), _share(believed, k), int(units[k]))
        for k, name in enumerate(classes)
    )


def _share(values: np.ndarray, place: int) -> float:
    return float(values[place] / max(values.sum(), 1e-300))


def _of_sets(result: Result, agreed: Agreement) -> tuple[ClassShare, ...]:
    labels, votes = result.labels, result.votes
    assert labels.classes is not None
    width = max(len(labels.classes), 1)
    label_of = votes.unit % width
    n = np.bincount(label_of, minlength=width)
    yes = np.bincount(label_of, votes.label == 1, width)
    told = (np.bincount(votes.unit, minlength=votes.n_units) > 0).reshape(-1, width)
    chance = np.where(told, result.chances[:, 1].reshape(-1, width), 0.0)
    tasks = np.maximum(told.sum(axis=0), 1)
    return tuple(
        ClassShare(
            name_of(name), float(yes[m] / max(n[m], 1)), float(chance[:, m].sum() / tasks[m]),
            int((chance[:, m] > 0.5).sum()), _alpha(agreed, name),
        )
        for m, name in enumerate(labels.classes)
    )  # fmt: skip


def _alpha(agreed: Agreement, name: object) -> tuple[float, float, float] | None:
    for figure in agreed.by_label.get(name, ()):
        if figure.name == "alpha_nominal":
            return figure.value, figure.low, figure.high
    return None
