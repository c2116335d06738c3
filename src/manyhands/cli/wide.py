"""Labels as a wide table: one task a row, one annotator a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UnsupportedError

if TYPE_CHECKING:
    import polars as pl

    from ..annotations import Annotations

__all__ = ["wide_frame"]

CELLS = 100_000_000


def wide_frame(labels: Annotations) -> pl.DataFrame:
    """The column `task`, then one an annotator; an empty cell is no answer.

    >>> from manyhands import Annotations
    >>> wide_frame(Annotations.from_dict({"t": {"ann": "x", "bob": "y"}})).rows()
    [('t', 'x', 'y')]
    """
    import numpy as np
    import polars as pl

    _refuse(labels)
    given = labels.to_frame().get_column("label")
    columns = [labels.tasks.to_series("task")]
    order, starts = (
        np.argsort(labels.annotator, kind="stable"),
        np.zeros(labels.n_annotators + 1, dtype=np.int64),
    )
    np.cumsum(np.bincount(labels.annotator, minlength=labels.n_annotators), out=starts[1:])
    for j, name in enumerate(labels.annotators):
        rows = order[starts[j] : starts[j + 1]]
        place = np.full(labels.n_tasks, -1, dtype=np.int64)
        place[labels.task[rows]] = rows
        where = pl.Series(place).replace(-1, None).cast(pl.UInt32)
        columns.append(given.gather(where).alias(str(name)))
    return pl.DataFrame(columns)


def _refuse(labels: Annotations) -> None:
    if labels.kind in ("tags", "set", "soft"):
        raise UnsupportedError(
            f"a wide table has one label a cell, kind={labels.kind!r} has several: keep it long"
        )
    if labels.n_tasks * labels.n_annotators > CELLS:
        raise UnsupportedError(
            f"a wide table of {labels.n_tasks} tasks and {labels.n_annotators} annotators has "
            f"{labels.n_tasks * labels.n_annotators:,} cells, nearly all of them empty: keep it long"
        )
    if "task" in {str(name) for name in labels.annotators}:
        raise UnsupportedError(
            "an annotator is named 'task', as the first column must be: rename the annotator"
        )
