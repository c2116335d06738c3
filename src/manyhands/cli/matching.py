"""Labels and features of the same tasks: matched by id, and what does not match is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from ..errors import LabelError

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Annotations, Names
    from ..io.features import FeatureTable
    from ..io.sentences import SentenceTable

__all__ = ["Matched", "alike", "match"]

FEW = 5


@dataclass(frozen=True)
class Matched:
    """Labels in the order of some rows of the features.

    rows: those to train on. groups: what each row of all is called when it is scored.
    """

    labels: Annotations
    rows: np.ndarray
    ids: Names
    groups: list[str]


def match(
    labels: Annotations,
    features: FeatureTable | SentenceTable,
    train_split: str | None,
    drop: bool,
    tell: Callable[[str], Any],
) -> Matched:
    """The labels of each row of features; of one split alone, where asked."""
    import numpy as np

    ids = alike(features.ids, labels.tasks)
    rows = _rows_of_split(features, train_split)
    known = ids.codes(labels.tasks) >= 0
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    lacking = np.flatnonzero(answered & ~known)
    if len(lacking):
        _refuse_or_tell(labels, ids, lacking, drop, tell)
    aligned = labels.align(ids.take(rows), extra="drop")
    n = np.bincount(aligned.task, minlength=aligned.n_tasks)
    elsewhere = int((answered & known).sum() - (n > 0).sum())
    if elsewhere:
        tell(f"{elsewhere} labelled tasks are not in the split {train_split!r}: not used")
    if labels.kind == "tags":
        tagged = np.diff(aligned.unit_offsets) > 0
        if not tagged.all():
            tell(f"{int((~tagged).sum())} sentences have no tags: not trained on")
        aligned, rows = aligned[tagged], rows[tagged]
    elif (n == 0).any():
        tell(f"{int((n == 0).sum())} tasks have features but no labels: used as unlabelled")
    return Matched(aligned, rows, ids, _groups(features, labels, ids))


def alike(ids: Names, names: Names) -> Names:
    """Integers and their text are the same, as one file has types and the other has not."""
    if not len(ids) or not len(names) or ids.are_text == names.are_text:
        return ids
    if names.are_text:
        return type(ids)([str(value) for value in ids], "tasks of features")
    known = {str(name): name for name in names}
    return type(ids)([known.get(value, value) for value in ids], "tasks of features")


def _rows_of_split(features: FeatureTable | SentenceTable, wanted: str | None) -> np.ndarray:
    import numpy as np

    if wanted is None:
        return np.arange(len(features.ids))
    if features.splits is None:
        raise typer.BadParameter(
            "the features have no column split, and no tasks.csv beside them has one",
            param_hint="'--train-split'",
        )
    rows = np.array([place for place, split in enumerate(features.splits) if str(split) == wanted], dtype=int)
    if not len(rows):
        there = ", ".join(repr(name) for name in dict.fromkeys(map(str, features.splits)))
        raise typer.BadParameter(f"no task is in {wanted!r}; there are {there}", param_hint="'--train-split'")
    return rows


def _refuse_or_tell(labels: Annotations, ids: Names, lacking: Any, drop: bool, tell: Any) -> None:
    shown = ", ".join(repr(labels.tasks[int(place)]) for place in lacking[:FEW])
    named = f"{len(lacking)} labelled tasks have no features: {shown}{' ...' if len(lacking) > FEW else ''}"
    if len(lacking) == labels.n_tasks:
        raise LabelError(f"{named}; the first row of features is of {ids[0]!r}: are the ids the same?")
    if not drop:
        raise LabelError(f"{named}; give them features, or leave them out with --drop-unmatched")
    tell(f"{named}; left out")


def _groups(features: FeatureTable | SentenceTable, labels: Annotations, ids: Names) -> list[str]:
    import numpy as np

    if features.splits is not None:
        return ["no split" if split is None else str(split) for split in features.splits]
    answered = np.bincount(labels.task, minlength=labels.n_tasks) > 0
    codes = labels.tasks.codes(ids)
    return ["labelled" if code >= 0 and answered[code] else "unlabelled" for code in codes.tolist()]
