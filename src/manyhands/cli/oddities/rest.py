"""Each vote beside the other votes on the same unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ...annotations import Annotations

__all__ = ["Votes", "class_votes"]


class Votes(NamedTuple):
    """The votes on units that have two or more.

    agreed: [votes] the share of the other votes on the unit that say the same.
    """

    unit: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    agreed: np.ndarray
    n_classes: int


def class_votes(labels: Annotations) -> Votes | None:
    """None where labels are numbers. A soft label votes for its likeliest class.

    >>> from manyhands import Annotations
    >>> class_votes(Annotations.from_matrix([[0, 0, 1], [1, -1, -1]])).agreed.tolist()
    [0.5, 0.5, 0.0]
    """
    if labels.kind == "number" or not labels.n_classes:
        return None
    unit, annotator, label = labels.rows
    if labels.kind == "soft":
        label = np.where(np.isnan(label).any(axis=1), -1, np.nan_to_num(label, nan=-1.0).argmax(axis=1))
    size = np.bincount(unit[label >= 0], minlength=labels.n_units)
    keep = (label >= 0) & (size[unit] > 1)
    unit, annotator, label = unit[keep], annotator[keep], label[keep].astype(np.int64)
    _, place, same = np.unique(
        unit * np.int64(labels.n_classes) + label, return_inverse=True, return_counts=True
    )
    agreed = (same[place] - 1) / (size[unit] - 1)
    return Votes(unit, annotator, label, agreed, labels.n_classes)
