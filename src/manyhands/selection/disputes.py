"""The tasks on which methods decide differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..annotations import Annotations
from ..results import NoEvidence, Result
from ..results.posterior import Posterior

if TYPE_CHECKING:
    import polars as pl

__all__ = ["disputes"]


def disputes(labels: Annotations, posteriors: Mapping[str, Posterior], stack: Result) -> pl.DataFrame:
    """task, a column a method with what it says, and the stack's confidence; the least sure first.

    Of numbers all tasks, those where the methods lie furthest apart first.
    """
    import polars as pl

    whole = stack.consensus()
    said = {
        name: Result(name, labels, posterior, NoEvidence("soft")).consensus()["label"]
        for name, posterior in posteriors.items()
    }
    frame = whole.select("task").with_columns(column.alias(name) for name, column in said.items())
    if labels.kind == "number":
        apart = np.ptp(np.column_stack([column.to_numpy() for column in said.values()]), axis=1)
        return frame.with_columns(pl.Series("apart", apart)).sort("apart", descending=True, nulls_last=True)
    first, *others = [column.to_list() for column in said.values()]
    differ = [any(value != row[0] for value in row[1:]) for row in zip(first, *others, strict=True)]
    frame = frame.with_columns(whole["confidence"]).filter(pl.Series(differ, dtype=pl.Boolean))
    return frame.sort("confidence", maintain_order=True)
