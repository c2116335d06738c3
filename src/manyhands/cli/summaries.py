"""A result in brief: what came out, whom to trust, what is disputed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import head, line, table, word

if TYPE_CHECKING:
    import polars as pl

    from ..results import Result

__all__ = ["FEW", "as_data", "how_it_ended", "ranked", "show", "show_annotators", "without_lists"]

FEW = 3
SCORES = {"accuracy": "accuracy", "distance": "mean distance in classes", "f1_macro": "F1 (mean of labels)", "f1_micro": "F1 (all yeses)", "exact": "sets wholly right",
          "span_precision": "span precision", "span_recall": "span recall", "span_f1": "span F1", "log_loss": "log-loss", "calibration_error": "calibration error",
          "rmse": "root mean squared error", "mae": "mean absolute error", "pearson": "correlation"}  # fmt: skip


def show(
    result: Result,
    scored: Mapping[str, float] | None,
    written: Mapping[str, str],
    source: Path,
    cost: str | None = None,
) -> None:
    """Print the summary for people."""
    labels = result.labels
    line(
        f"{result.method} on {source}: {word(labels.n_tasks)} tasks, {word(labels.n_annotators)} annotators, "
        f"{word(labels.n_answers)} answers of kind {labels.kind}. {how_it_ended(len(result.history), result.converged)}"
    )
    if scored is not None:
        figures = ", ".join(f"{name} {word(scored[key])}" for key, name in SCORES.items() if key in scored)
        line(f"against {word(int(scored['tasks']))} known truths: {figures}")
    show_annotators(result.annotators(), labels.kind)
    disputed = _disputed(result)
    if len(disputed):
        head(without_lists(disputed), "most disputed tasks", FEW)
    if "consensus" not in written:
        head(without_lists(result.consensus(cost)), "the first tasks of the consensus")
        line("write it with --out consensus.csv, the annotators with --annotators annotators.csv")
    for what, path in written.items():
        line(f"wrote {what}: {path}")


def as_data(result: Result, scored: Mapping[str, float] | None, written: Mapping[str, str]) -> dict[str, Any]:
    """The summary for programs."""
    best = ranked(result.annotators(), result.labels.kind)
    return {
        **result.to_dict(),
        "kind": result.labels.kind,
        "classes": None if result.labels.kind == "number" else result.labels.unit_classes.to_list(),
        "best_annotators": best.head(FEW).to_dicts(),
        "worst_annotators": best.tail(FEW).reverse().to_dicts(),
        "disputed_tasks": _disputed(result).head(FEW).to_dicts(),
        "scores": None if scored is None else dict(scored),
        "written": dict(written),
    }


def how_it_ended(steps: int, converged: bool) -> str:
    """How an iterative fit came to its end; nothing of one that is not."""
    if not steps:
        return ""
    return f"Settled after {steps} steps." if converged else f"Stopped after {steps} steps, not settled."


def show_annotators(annotators: pl.DataFrame, kind: str) -> None:
    """Print the best and the worst."""
    best = ranked(annotators, kind)
    if len(best) <= 2 * FEW:
        head(best, "annotators, best first", 2 * FEW)
        return
    rows = [*best.head(FEW).rows(), ["..."] + [None] * (best.width - 1), *best.tail(FEW).rows()]
    shown = [["" if row[0] == "..." and value is None else value for value in row] for row in rows]
    table(best.columns, shown, f"annotators: the {FEW} best and the {FEW} worst of {len(best)}")


def ranked(annotators: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Annotators who answered, the surely good first and the surely poor last."""
    import polars as pl

    frame = annotators.filter(pl.col("n") > 0)
    if kind == "number":
        return frame.sort("sd", nulls_last=True) if "sd" in frame.columns else frame
    # The whole interval counts: three right answers of three say less than ninety of a hundred.
    return frame.sort(pl.col("low") + pl.col("high"), descending=True)


def _disputed(result: Result) -> pl.DataFrame:
    import polars as pl

    by = "spread" if result.labels.kind == "number" else "entropy"
    frame = result.tasks().filter((pl.col("n") > 1) & (pl.col(by) > 0))
    return frame.sort(by, descending=True, nulls_last=True).head(FEW)


def without_lists(frame: pl.DataFrame) -> pl.DataFrame:
    """The first rows, with lists as words."""
    import polars as pl

    lists = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.head(10).with_columns(
        pl.Series(name, [" ".join(map(str, row or ())) for row in frame.head(10)[name].to_list()])
        for name in lists
    )
