"""Mean, median and precision-weighted mean on real crowds of numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from manyhands import Annotations
from manyhands.catalog import methods_for
from manyhands.errors import ConvergenceWarning
from manyhands.metrics import regression

from .real_crowds import table_of, truth_of
from .tables import publish

__all__ = ["number_crowds", "run"]

NOTES = "r: Pearson's, with the truth. affect has seven measures a headline, each a crowd of its own."


def number_crowds() -> Iterator[tuple[str, Annotations, np.ndarray]]:
    """Name, labels, and the true number of each task (nan: unknown)."""
    for name in ("movie-reviews", "wordsim", "affect"):
        votes = pl.read_csv(table_of(name), infer_schema=False)
        truths = truth_of(name)
        measures = votes["measure"].unique(maintain_order=True).to_list() if name == "affect" else [None]
        for measure in measures:
            own = votes if measure is None else votes.filter(pl.col("measure") == measure)
            true = truths if measure is None else truths.filter(pl.col("measure") == measure)
            labels = Annotations.from_frame(
                own.select("task", "annotator", pl.col("label").cast(pl.Float64)),
                kind="number",
                repeats="first",
            )
            known = dict(zip(true["task"], true["label"].cast(pl.Float64), strict=True))
            yield (
                f"{name} {measure or ''}".strip(), labels, np.array([known.get(t, np.nan) for t in labels.tasks]),
            )  # fmt: skip


def run(**out: Any) -> None:
    """The table."""
    rows: list[dict[str, Any]] = []
    for name, labels, truth in number_crowds():
        row: dict[str, Any] = {"crowd": name}
        for method in methods_for("number"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                close = regression(method.make().fit(labels).result_.numbers.mean, truth)
            row |= {
                f"{method.name} RMSE": close.rmse,
                f"{method.name} MAE": close.mae,
                f"{method.name} r": close.pearson,
            }
        rows.append(row)
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0] if name.endswith(" r")}
    rows.append({"crowd": f"mean of {len(rows)}", **means})
    publish("aggregation-numbers", "Consensus of real crowds of numbers", rows, notes=NOTES, **out)
