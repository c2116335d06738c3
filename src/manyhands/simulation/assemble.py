"""From a piece of a plan to the crowd that users get."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..annotations import Annotations, Answers, Names, starts_of
from .crowd import Crowd
from .people import People
from .pieces import Piece
from .plan import Plan

__all__ = ["crowd_of"]


def crowd_of(plan: Plan, piece: Piece, start: int) -> Crowd:
    """The crowd of some consecutive tasks, the first of which has this number."""
    people = plan.people
    size = len(piece.sizes["task"])
    table = Annotations(
        kind=people.kind,
        tasks=_names("t", start, start + size, plan.names),
        annotators=_names("a", 0, people.n_annotators, plan.names),
        task=np.repeat(np.arange(size, dtype=np.int32), piece.sizes["answer"]),
        annotator=piece.columns["answer", " annotator"],
        answers=_answers(piece, people),
        unit_starts=starts_of(piece.sizes["unit"]) if people.kind == "tags" else None,
        truth=_known(piece, people.kind) if plan.gold else None,
    )
    drawn = {name: column for axis in ("task", "answer") for name, column in piece.along(axis).items()}
    shown = {name: column for name, column in drawn.items() if not name.startswith(" ")}
    return Crowd(
        name=plan.recipe.name,
        labels=table,
        truth=piece.columns["unit", " truth"],
        confusions=people.confusions,
        accuracy=people.accuracy,
        features=piece.columns.get(("task", " features")),
        parameters={**plan.fixed, **shown},
    )


def _known(piece: Piece, kind: str) -> np.ndarray:
    truth = piece.columns["unit", " truth"]
    known = np.repeat(piece.columns["task", " gold"], piece.sizes["unit"])
    return np.where(known, truth, np.nan) if kind == "number" else np.where(known, truth, np.int32(-1))


def _names(letter: str, start: int, end: int, spelt: bool) -> Names:
    if not spelt and start == 0:
        return Names.range(end)
    codes = pl.Series(np.arange(start, end))
    return Names.distinct(letter + codes.cast(pl.String) if spelt else codes)


def _answers(piece: Piece, people: People) -> Answers:
    """The labels of a piece as the container has them."""
    starts = None
    if people.kind == "tags":
        starts = starts_of(np.repeat(piece.sizes["unit"], piece.sizes["answer"]))
    return Answers(piece.columns["value", " label"], people.classes, np.empty(0, dtype=np.int64), starts)
