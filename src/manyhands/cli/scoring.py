"""How right a result is, against truths that the fit never saw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LabelError

if TYPE_CHECKING:
    import numpy as np

    from ..annotations import Annotations, Names
    from ..results import Result

__all__ = ["Known", "read_known", "scores"]


class Known(NamedTuple):
    """Truths of some tasks of a table.

    truth: [units] codes or numbers, -1 or nan where unknown; a class that nobody used has a
        code above all classes: whoever is asked for it can only be wrong.
    n: how many tasks have one.
    """

    truth: np.ndarray
    n: int


def read_known(path: Path, labels: Annotations, separator: str | None = None) -> Known:
    """The truths in a file; those of tasks without labels are left out."""
    from ..io import read_truth

    found = read_truth(path)
    places = _places([*found], labels.tasks)
    kept = [(int(place), value) for place, value in zip(places, found.values(), strict=True) if place >= 0]
    if not kept:
        ours, theirs = labels.tasks[0], next(iter(found), None)
        raise LabelError(
            f"{path}: none of its {len(found)} truths is of a labelled task: the first is of {theirs!r}, "
            f"where a labelled task is {ours!r}; are the ids the same?"
        )
    return Known(_units(labels, kept, separator), len(kept))


def scores(result: Result, known: Known, cost: str | None = None) -> dict[str, float]:
    """Accuracy, log-loss and calibration error; for numbers the errors and the correlation.

    Ordered classes have a mean distance from the truth as well, sets the F1 of their yeses, tags precision, recall and F1
    of whole spans. cost: what decides the classes.
    """
    from ..metrics.against_truth import class_figures, number_figures
    from ..results.tables import decisions

    if result.labels.kind == "number":
        return {"tasks": known.n, **number_figures(result.numbers.mean, known.truth)}
    best, _ = decisions(result, cost)
    figures = class_figures(result.chances, known.truth, best=best, ordered=result.labels.is_ordered)
    more = {"set": _f1, "tags": _of_spans}.get(result.labels.kind)
    return {"tasks": known.n, **figures, **({} if more is None else more(result, best, known))}


def _of_spans(result: Result, best: np.ndarray, known: Known) -> dict[str, float]:
    """Of whole spans, where tags are spans."""
    from .tag_scores import tag_figures, tags_of_codes

    labels = result.labels
    found = tag_figures(tags_of_codes(labels, best), tags_of_codes(labels, known.truth))
    return {name: value for name, value in found.items() if name.startswith("span_")}


def _f1(result: Result, best: np.ndarray, known: Known) -> dict[str, float]:
    """Of the yeses, averaged over labels and over all; and the share of sets that are wholly right."""
    from ..metrics import set_scores

    shape = (result.labels.n_tasks, -1)
    found = set_scores(best.reshape(shape), known.truth.reshape(shape))
    return {"f1_macro": found.macro_f1, "f1_micro": found.micro_f1, "exact": found.exact}


def _places(ids: list[Any], names: Names) -> np.ndarray:
    """Where each id stands; integers and their text are the same, as one file may have no types."""
    codes = names.codes(ids)
    if (codes >= 0).any() or not len(names) or not ids or isinstance(ids[0], type(names[0])):
        return codes
    return type(names)([str(name) for name in names]).codes([str(value) for value in ids])


def _units(labels: Annotations, kept: list[tuple[int, Any]], separator: str | None) -> np.ndarray:
    import numpy as np

    places = [place for place, _ in kept]
    values = [value for _, value in kept]
    if labels.kind == "number":
        truth = np.full(labels.n_units, np.nan)
        truth[places] = [float(value) for value in values]
        return truth
    if labels.kind in ("tags", "set"):
        return _of_lists(labels, places, values, separator)
    truth = np.full(labels.n_units, -1)
    codes = _places(values, labels.unit_classes)
    truth[places] = np.where(codes < 0, labels.n_classes, codes)
    return truth


def _of_lists(labels: Annotations, places: list[int], values: list[Any], separator: str | None) -> np.ndarray:
    import polars as pl

    from ..io.cells import split_labels

    if all(isinstance(value, str) for value in values):
        values = split_labels(pl.Series("truth", values, dtype=pl.String), labels.kind, separator).to_list()
    tasks = [labels.tasks[place] for place in places]
    truth = replace(labels, truth=None).with_truth((tasks, values)).truth
    assert truth is not None
    return truth
