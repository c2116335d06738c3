"""One label of the sets of a table, as a table of no and yes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LabelError, UnsupportedError
from .kinds import NOT_ASKED, Answers

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["of_label"]


def of_label(table: Annotations, label: Any) -> Annotations:
    """Who said yes or no to it; those not asked about it have no answer. Tasks and annotators are all kept."""
    if table.kind != "set" or table.classes is None:
        raise UnsupportedError(f"kind={table.kind!r} has one label an answer; of_label is for sets")
    place = int(table.classes.codes([label])[0])
    if place < 0:
        raise LabelError(f"there is no label {label!r}; the labels are {table.classes.to_list()[:20]}")
    asked = np.asarray(table.answers.values[:, place] != NOT_ASKED)
    kept = table.where(asked)
    truth = None if table.truth is None else table.truth[place :: len(table.classes)].copy()
    answers = Answers(kept.answers.values[:, place].copy(), table.unit_classes)
    return replace(kept, kind="class", answers=answers, truth=truth)
