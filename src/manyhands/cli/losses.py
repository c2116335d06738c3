"""What a table of labels loses on its way into another file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .oddities.counts import spoke

if TYPE_CHECKING:
    from ..annotations import Annotations
    from .options import Reading

__all__ = ["losses"]


def losses(labels: Annotations, source: Path, reading: Reading, out: Path, layout: str) -> list[str]:
    """In words, one entry each."""
    from ..io.frames import format_to_write

    wide, bare, form = layout == "wide", layout != "long", format_to_write(out)
    silent = int((~spoke(labels)).sum())
    by_task = np.bincount(labels.task, minlength=labels.n_tasks)
    by_annotator = np.bincount(labels.annotator, minlength=labels.n_annotators)
    stated = reading.classes is not None and labels.classes is not None
    found = {
        "columns beside task, annotator and label: " + ", ".join(_left(labels, source, reading, bare)):
            bool(_left(labels, source, reading, bare)),
        f"{_repeats(labels)} repeated answers: a wide table has one a task and annotator, the last": wide and _repeats(labels),
        f"{silent} abstentions: an empty cell is no answer": bare and silent,
        f"{silent} abstentions are empty labels now: read them with --missing abstain": not bare and silent,
        f"{int((by_task == 0).sum())} tasks without an answer": not wide and (by_task == 0).any(),
        f"{int((by_annotator == 0).sum())} annotators without an answer": not wide and (by_annotator == 0).any(),
        "known truths": bare and labels.truth is not None,
        "the order of the classes, and those that nobody used: say --classes again": stated,
        "the difference between text and numbers: a text file has none": _loses_types(labels, source, reading, form.is_text),
    }  # fmt: skip
    return [words for words, lost in found.items() if lost]


def _left(labels: Annotations, source: Path, reading: Reading, bare: bool) -> list[str]:
    """The columns of the file that are in no role and not kept alongside."""
    from ..annotations import find_columns
    from ..io.roles import given_columns
    from ..io.tables import open_table

    if reading.layout in ("wide", "indicators"):
        return []
    names = open_table(source, reading.format, reading.delimiter).names
    given = given_columns(reading.columns)
    roles = find_columns(names, **{role: given.get(role) for role in ("task", "annotator", "label")}).values()
    kept = set() if bare else {name.lower() for name in labels.columns}
    return [name for name in names if name not in roles and name.lower() not in kept]


def _repeats(labels: Annotations) -> int:
    pairs = labels.task * np.int64(max(labels.n_annotators, 1)) + labels.annotator
    return len(pairs) - len(np.unique(pairs))


def _loses_types(labels: Annotations, source: Path, reading: Reading, to_text: bool) -> bool:
    """Whether the old file knew 7 from "7", the new one does not, and there is such a name."""
    from ..io.tables import open_table

    if not to_text or open_table(source, reading.format, reading.delimiter).is_text:
        return False
    rooms = [names for names in (labels.tasks, labels.annotators, labels.classes) if names is not None]
    return any(not names.are_text or all(str(name).isdigit() for name in names) for names in rooms)
