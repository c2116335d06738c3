"""Several tables as one, names matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import LabelError
from .assemble import assemble
from .columns import sorted_names
from .kinds import Answers
from .names import Names
from .ragged import starts_of

if TYPE_CHECKING:
    from .table import Annotations

__all__ = ["concat"]


def concat(tables: list[Annotations], repeats: str = "error") -> Annotations:
    """Tables of one kind, answers of the first first; truths must agree where both know one.

    >>> from manyhands import Annotations
    >>> a = Annotations.from_dict({"t": {"ann": "x"}})
    >>> b = Annotations.from_dict({"t": {"bob": "y"}, "u": {"ann": "y"}})
    >>> concat([a, b])
    Annotations(kind='class', 2 tasks, 2 annotators, 3 answers, classes=['x', 'y'])
    """
    if not tables:
        raise LabelError("there is no table to concatenate; give at least one")
    kinds = {table.kind for table in tables}
    if len(kinds) > 1:
        raise LabelError(f"tables of one kind go together, not {', '.join(sorted(kinds))}")
    tasks = _union([table.tasks for table in tables])
    annotators = _union([table.annotators for table in tables])
    classes = _all_classes(tables)
    names = set(tables[0].columns).intersection(*(table.columns for table in tables))
    merged = assemble(
        type(tables[0]), tables[0].kind, tasks, annotators,
        np.concatenate([tasks.codes(t.tasks)[t.task] for t in tables]),
        np.concatenate([annotators.codes(t.annotators)[t.annotator] for t in tables]),
        _join_answers(tables, classes),
        columns={name: np.concatenate([t.columns[name] for t in tables]) for name in sorted(names)},
        repeats=repeats,
    )  # fmt: skip
    truths = [pair for table in tables for pair in _known_truths(table)]
    return merged.with_truth(([t for t, _ in truths], [v for _, v in truths])) if truths else merged


def _union(names: list[Names]) -> Names:
    whole = names[0]
    for other in names[1:]:
        whole = whole.union(other)
    return whole


def _all_classes(tables: list[Annotations]) -> Names | None:
    first = tables[0].classes
    if first is None:
        return None
    whole = _union([t.classes for t in tables if t.classes is not None])
    return first if len(whole) == len(first) else sorted_names(whole)


def _join_answers(tables: list[Annotations], classes: Names | None) -> Answers:
    values = np.concatenate([_recoded(table, classes) for table in tables])
    starts = None
    if tables[0].answers.starts is not None:
        starts = starts_of(np.concatenate([np.diff(t.answers.starts) for t in tables]))  # type: ignore[arg-type]
    return Answers(values, classes, np.empty(0, dtype=np.int64), starts)


def _recoded(table: Annotations, classes: Names | None) -> np.ndarray:
    values = table.answers.values
    if classes is None or table.classes is None or table.classes == classes:
        return values
    codes = classes.codes(table.classes)
    if table.kind in ("set", "soft"):  # a new column: answered no, or given no chance
        wide = np.zeros((len(values), len(classes)), dtype=values.dtype)
        wide[:, codes] = values
        wide[(values == -1).all(axis=1) | np.isnan(values).all(axis=1)] = values.dtype.type(
            -1 if table.kind == "set" else np.nan
        )
        return wide
    return np.append(codes, -1)[values]  # an abstention, -1, stays one


def _known_truths(table: Annotations) -> list[tuple[object, object]]:
    if table.truth is None:
        return []
    return [(table.tasks[i], value) for i, value in enumerate(table.truths()) if value is not None]
