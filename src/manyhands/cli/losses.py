"""What a table of labels loses on its way into another file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .oddities.counts import spoke

if TYPE_CHECKING:
    from ..annotations import Annotations
    from ..io.tables import Table
    from .options import Reading

__all__ = ["losses", "losses_to_tool", "lost_borders"]

TOKENS = ("tokens", "words")


def losses(
    labels: Annotations, source: Path, reading: Reading, out: Path, layout: str, has_words: bool
) -> list[str]:
    """In words, one entry each."""
    from ..io.frames import format_to_write

    wide, bare, form = layout == "wide", layout != "long", format_to_write(out)
    silent = int((~spoke(labels)).sum())
    by_task = np.bincount(labels.task, minlength=labels.n_tasks)
    by_annotator = np.bincount(labels.annotator, minlength=labels.n_annotators)
    keeps_words = has_words and layout == "long" and labels.kind == "tags" and not form.is_text
    left = [
        name for name in _left(labels, source, reading, bare) if not (keeps_words and name.lower() in TOKENS)
    ]
    stated = reading.classes is not None and labels.classes is not None
    found = {
        "columns beside task, annotator and label: " + ", ".join(left): bool(left),
        "the words of the tasks: .conll, .jsonl and .parquet hold them": has_words and labels.kind == "tags" and not keeps_words,
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


def lost_borders(before: Annotations, after: Annotations) -> list[str]:
    """Spans that became one with their neighbour of the same type, which only IO makes of them."""
    from ..annotations.respelling import n_spans

    n = 0 if before is after else n_spans(before) - n_spans(after)
    return [f"the borders between {n} spans and their neighbours of the same type: IO has none"] if n else []


def losses_to_tool(
    labels: Annotations, source: Path, reading: Reading, tool_name: str, has_contents: bool
) -> list[str]:
    """The same, of the export of a tool."""
    from ..io.tools.registry import tool
    from ..io.tools.writing import losses_in

    left = [] if has_contents else _left(labels, source, reading, bare=False)
    others = ["columns beside task, annotator and label: " + ", ".join(left)] if left else []
    return others + losses_in(labels, tool(tool_name), has_contents)


def _open(source: Path, reading: Reading) -> Table:
    from ..io.tools.opening import open_labels
    from .crowd_folder import labels_file

    return open_labels(labels_file(source), reading.format, reading.delimiter, reading.columns, reading.kind)


def _left(labels: Annotations, source: Path, reading: Reading, bare: bool) -> list[str]:
    """The columns of the file that are in no role and not kept alongside."""
    from ..annotations import find_columns
    from ..io.roles import given_columns
    from ..io.tools.table import ExportTable

    if reading.layout in ("wide", "indicators"):
        return []
    table = _open(source, reading)
    names = table.names
    given = given_columns(None if isinstance(table, ExportTable) else reading.columns)
    roles = find_columns(names, **{role: given.get(role) for role in ("task", "annotator", "label")}).values()
    kept = set() if bare else {name.lower() for name in labels.columns}
    return [name for name in names if name not in roles and name.lower() not in kept]


def _repeats(labels: Annotations) -> int:
    pairs = labels.task * np.int64(max(labels.n_annotators, 1)) + labels.annotator
    return len(pairs) - len(np.unique(pairs))


def _loses_types(labels: Annotations, source: Path, reading: Reading, to_text: bool) -> bool:
    """Whether the old file knew 7 from "7", the new one does not, and there is such a name."""
    if not to_text or _open(source, reading).is_text:
        return False
    rooms = [names for names in (labels.tasks, labels.annotators, labels.classes) if names is not None]
    return any(not names.are_text or all(str(name).isdigit() for name in names) for names in rooms)
