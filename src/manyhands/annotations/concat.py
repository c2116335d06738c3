"""Several tables as one, names matched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LabelError, MixedTypesError
from .assemble import as_given, assemble
from .kinds import Answers
from .names import Names
from .ragged import starts_of
from .recode import joint_classes, recode_answers, recode_values
from .truth import no_truth, with_lengths, write_truth

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["concat", "joined_features"]


def concat(tables: Iterable[Annotations], repeats: str = "error") -> Annotations:
    """Tables of one kind, answers of the first first; truths must agree where both know one.

    Columns alongside, and features of annotators, are kept where every table has them.

    >>> from manyhands import Annotations
    >>> a = Annotations.from_dict({"t": {"ann": "x"}})
    >>> b = Annotations.from_dict({"t": {"bob": "y"}, "u": {"ann": "y"}})
    >>> concat([a, b])
    Annotations(kind='class', 2 tasks, 2 annotators, 3 answers, classes=['x', 'y'])
    """
    tables = list(tables)
    if not tables:
        raise LabelError("there is no table to concatenate; give at least one")
    kinds = {table.kind for table in tables}
    if len(kinds) > 1:
        raise LabelError(f"tables of one kind go together, not {', '.join(sorted(kinds))}")
    tasks = _union([table.tasks for table in tables], "task ids")
    annotators = _union([table.annotators for table in tables], "annotator ids")
    shared = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    given = as_given(
        tables[0].kind,
        (tasks, np.concatenate([tasks.codes(t.tasks)[t.task] for t in tables])),
        (annotators, np.concatenate([annotators.codes(t.annotators)[t.annotator] for t in tables])),
        _join_answers(tables),
        {name: np.concatenate([t.columns[name] for t in tables]) for name in shared},
    )
    merged = assemble(type(tables[0]), given, missing="abstain", repeats=repeats)
    found = joined_features(
        merged.annotators, [t.annotators for t in tables], [t.annotator_features for t in tables]
    )
    return replace(_with_truths(merged, tables), annotator_features=found)


def _union(parts: list[Names], what: str) -> Names:
    _refuse_mixed(parts, what)
    return reduce(Names.union, parts)


def _refuse_mixed(parts: list[Names], what: str) -> None:
    shown = {part.are_text: part for part in parts if len(part)}
    if len(shown) > 1:
        raise MixedTypesError(
            f"{what} are text in one table ({shown[True][0]!r}) and not in another ({shown[False][0]!r}): "
            f"they would never meet; give both the same type"
        )


def _join_answers(tables: list[Annotations]) -> Answers:
    kind, parts = tables[0].kind, [table.classes for table in tables]
    named = [part for part in parts if part is not None]
    _refuse_mixed(named, "classes")
    classes = joint_classes(named, kind) if named else None
    answers = [recode_answers(table.answers, classes, kind) for table in tables]
    values = np.concatenate([part.values for part in answers])
    if kind != "tags":
        return Answers(values, classes)
    lengths = np.concatenate([np.diff(part.starts) for part in answers if part.starts is not None])
    return Answers(values, classes, np.flatnonzero(lengths == 0), starts_of(lengths))


def _with_truths(merged: Annotations, tables: list[Annotations]) -> Annotations:
    known = [table for table in tables if table.truth is not None]
    if not known:
        return merged
    places = [merged.tasks.codes(table.tasks) for table in known]
    if merged.kind == "tags":
        for table, place in zip(known, places, strict=True):
            lengths = np.diff(table.unit_offsets)
            merged = with_lengths(merged, place[lengths > 0], lengths[lengths > 0])
    units = no_truth(merged)
    for table, place in zip(known, places, strict=True):
        write_truth(merged, units, *_moved(merged, table, place))
    return replace(merged, truth=units)


def _moved(merged: Annotations, table: Annotations, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each unit of a table in the merged one, and its truth there."""
    truth, width = table.truth, len(table.classes or ())
    assert truth is not None
    if merged.kind == "set":
        assert merged.classes is not None
        assert table.classes is not None
        first = place[:, None] * np.int64(len(merged.classes))
        return (first + merged.classes.codes(table.classes)).ravel(), truth
    if width and merged.classes is not None and table.classes is not None:
        truth = recode_values(truth, table.classes, merged.classes, "class")
    lengths = np.diff(table.unit_offsets)
    shift = np.repeat(merged.unit_offsets[place] - table.unit_offsets[:-1], lengths)
    return np.arange(table.n_units) + shift, truth


def joined_features(
    whole: Names, annotators: Sequence[Names], features: Sequence[np.ndarray | None]
) -> np.ndarray | None:
    """A row for each annotator of several tables; none unless every table has them."""
    parts = [part for part in features if part is not None]
    if len(parts) < len(features):
        return None
    if len({part.shape[1] for part in parts}) > 1:
        raise LabelError(
            f"annotators have {', '.join(str(p.shape[1]) for p in parts)} features; give all the same"
        )
    matrix = np.empty((len(whole), parts[0].shape[1]), dtype=np.float32)
    for names, part in reversed(list(zip(annotators, parts, strict=True))):
        matrix[whole.codes(names)] = part
    for names, part in zip(annotators, parts, strict=True):
        wrong = np.flatnonzero((matrix[whole.codes(names)] != part).any(axis=1))
        if len(wrong):
            raise LabelError(f"annotator {names[int(wrong[0])]!r} has two rows of features; keep one")
    return matrix
