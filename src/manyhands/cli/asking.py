"""Who may be asked what, read from the files that a user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import LabelError

if TYPE_CHECKING:
    from ..annotations import Names
    from .assign_options import Bounds

__all__ = ["read_asking"]


def read_asking(given: Any, source: Path, bounds: Bounds) -> dict[str, Any]:
    """The arguments of `manyhands.assign`, names being matched to those of the result."""
    from ..assignment.opening import result_of

    labels = result_of(given).labels
    told: dict[str, Any] = {
        name: getattr(bounds, name)
        for name in ("per_task", "most", "confidence", "sd", "exact", "cost", "capacity")
    }
    if bounds.tasks is not None:
        told["tasks"] = _names(bounds.tasks, "task", labels.tasks)
    if bounds.features is not None:
        told |= _features(given, source, bounds, labels.tasks)
    if bounds.people is not None:
        told |= _people(bounds, labels.annotators)
    if bounds.skills is not None:
        told["skills"] = _skills(bounds.skills, labels.tasks, labels.annotators)
    return told


def _features(given: Any, source: Path, bounds: Bounds, known: Names) -> dict[str, Any]:
    """Rows of F, and the tasks that they are of."""
    from .feature_reading import read_for
    from .matching import alike

    if not hasattr(given, "learner_"):
        raise typer.BadParameter(f"{source} has no network that would read them", param_hint="'--features'")
    if bounds.tasks is not None:
        raise typer.BadParameter("says which tasks: leave out --tasks", param_hint="'--features'")
    assert bounds.features is not None
    ids, X = read_for(given, bounds.features, source)
    return {"tasks": alike(ids, known), "X": X}


def _people(bounds: Bounds, known: Names) -> dict[str, Any]:
    """The annotators, and what each costs and can do."""
    from ..io.tables import open_table

    assert bounds.people is not None
    table = open_table(bounds.people)
    there = [name for name in ("cost", "capacity") if name in table.names]
    names = _names(bounds.people, "annotator", known)
    told: dict[str, Any] = {}
    frame = table.frame(there) if there else None
    for name in there:
        values = frame[name].to_list()  # type: ignore[index]
        told[name] = {
            who: _number(value, name, who, bounds.people)
            for who, value in zip(names, values, strict=True)
            if value not in (None, "")
        }
        rest = getattr(bounds, name)
        if rest is not None:
            told[name] = {who: told[name].get(who, rest) for who in names}
    return {"annotators": names, **told}


def _number(value: Any, name: str, who: Any, path: Path) -> float:
    try:
        return float(value)
    except ValueError:
        raise LabelError(f"{path}: {name} of {who!r} is {value!r}, not a number") from None


def _skills(path: Path, tasks: Names, annotators: Names) -> dict[Any, list[Any]]:
    """Annotator -> tasks."""
    able: dict[Any, list[Any]] = {}
    pairs = zip(_column(path, "annotator", annotators), _column(path, "task", tasks), strict=True)
    for who, task in pairs:
        able.setdefault(who, []).append(task)
    return able


def _names(path: Path, column: str, known: Names) -> Names:
    """Distinct names of a column."""
    from ..annotations import Names

    return Names(dict.fromkeys(_column(path, column, known)), f"{column}s of {path}")


def _column(path: Path, column: str, known: Names) -> list[Any]:
    """A column, integers and their text being the same names."""
    from ..annotations import Names
    from ..io.tables import open_table
    from .matching import alike

    table = open_table(path)
    if column not in table.names:
        raise LabelError(f"{path} has no column {column!r}, only {', '.join(map(repr, table.names))}")
    values = table.frame([column], [column])[column].to_list()
    named = dict(
        zip(distinct := list(dict.fromkeys(values)), alike(Names(distinct, column), known), strict=True)
    )
    return [named[value] for value in values]
