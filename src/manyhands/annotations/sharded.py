"""A table whose tasks are spread over processes: the same annotators and classes in each."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from ..processes import agree, gathered, size
from .names import Names
from .recode import joint_classes, recode_answers

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["united"]


def united(labels: Annotations) -> Annotations:
    """The tasks of this process, with the annotators and classes of all; alone, the table as it is.

    Every process calls it with its own shard, which may be empty.
    """
    if size() == 1:
        return labels
    agree("the kind of label", labels.kind)
    annotators = reduce(Names.union, gathered(labels.annotators))
    parts = [part for part in gathered(labels.classes) if part is not None and len(part)]
    classes = joint_classes(parts, labels.kind) if parts else labels.classes
    answers = recode_answers(labels.answers, classes, labels.kind)
    place = annotators.codes(labels.annotators)
    moved = place[labels.annotator].astype(np.int32) if len(place) else labels.annotator
    truth = labels.truth
    if truth is not None and labels.classes is not None and classes is not None and labels.kind != "set":
        truth = np.append(classes.codes(labels.classes), -1)[truth]
    return replace(labels, annotators=annotators, annotator=moved, answers=answers, truth=truth)
