"""`manyhands predict`: what a trained network says of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import FileError, UnsupportedError
from .feature_reading import Features, read_for
from .options import Cost, Json, Quiet
from .progress import Work

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predict"]

FIXED = ("task", "label", "confidence")


def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A folder that `train` wrote.", show_default=False)
    ],
    features: Features,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write task, label, confidence and the chance of each class, or of numbers the deviation "
            "and an interval; the suffix says the format.",
        ),
    ] = None,
    cost: Cost = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Label tasks by their features, with a trained model."""
    from ..io import write_frame
    from .output import print_json
    from .targets import in_cells

    _check(out, [model, features])
    work = Work(quiet or json)
    with work.spinner(f"opening {model}"):
        opened = _open(model)
    with work.spinner(f"reading {features}"):
        ids, X = read_for(opened, features, model)
    with work.spinner("predicting"):
        frame = _frame(opened, ids, X, cost)
    if out is not None:
        write_frame(in_cells(frame, opened.result_.labels.kind, out), out)
    if json:
        rows = {} if out is not None else {"predictions": frame.to_dicts()}
        print_json({"tasks": len(frame), "written": None if out is None else str(out), **rows})
    elif not quiet:
        _show(frame, model, out)


def _show(frame: pl.DataFrame, model: Path, out: Path | None) -> None:
    from .output import head, line
    from .summaries import without_lists

    line(f"{len(frame)} tasks labelled by {model}")
    head(without_lists(frame), rows=5)
    line("write them with --out predictions.csv" if out is None else f"wrote predictions: {out}")


def _check(out: Path | None, inputs: list[Path]) -> None:
    from ..io.frames import format_to_write
    from .targets import refuse_overwriting

    if out is None:
        return
    format_to_write(out)
    if not out.parent.is_dir():
        raise FileError(f"there is no folder {str(out.parent)!r} to write into; make it first", out)
    refuse_overwriting(inputs, [out])


def _open(path: Path) -> Any:
    from ..models import load

    opened = load(path)
    if not hasattr(opened, "network_"):
        raise UnsupportedError(
            f"{path} holds the result of {opened.method}, which has no network: manyhands train makes a model"
        )
    return opened


def _frame(model: Any, ids: Any, X: Any, cost: str | None) -> pl.DataFrame:
    """One row a task."""
    if model.labels_.truth_is_categorical:
        return _of_classes(model, ids, X, cost)
    from ..results.decision import cost_matrix

    if cost is not None:
        cost_matrix(cost, model.labels_)  # refuses
    return _of_numbers(model, ids, X)


def _of_numbers(model: Any, ids: Any, X: Any) -> pl.DataFrame:
    """The number, the deviation of its truth, and an interval that holds 95 in 100."""
    import polars as pl

    from ..results.posterior import NumberPosterior

    said = NumberPosterior(*model.predict(X, return_std=True))
    low, high = said.interval()
    columns = {"label": said.mean, "sd": said.sd, "low": low, "high": high}
    return pl.DataFrame([ids.to_series("task"), *(pl.Series(name, v) for name, v in columns.items())])


def _of_classes(model: Any, ids: Any, X: Any, cost: str | None) -> pl.DataFrame:
    """One column a class; a class named as another column gets p(...) about it."""
    import numpy as np
    import polars as pl

    from ..results.decision import cheapest, cost_matrix

    chances, known = model.predict_proba(X), model.result_.labels
    if known.kind == "set":
        return _of_sets(model, ids, chances)
    best = chances.argmax(axis=1) if cost is None else cheapest(chances, cost_matrix(cost, known))[0]
    classes = known.unit_classes
    labels = classes.to_series("label").gather(best)
    confidence = pl.Series("confidence", chances[np.arange(len(best)), best])
    columns = [
        pl.Series(f"p({name})" if str(name) in FIXED else str(name), chances[:, k])
        for k, name in enumerate(classes)
    ]
    return pl.DataFrame([ids.to_series("task"), labels, confidence, *columns])


def _of_sets(model: Any, ids: Any, chances: Any) -> pl.DataFrame:
    """The list of labels, the mean confidence over all labels, and a column of chances of yes a label."""
    import numpy as np
    import polars as pl

    names = model.classes_.tolist()
    lists = [[name for name, p in zip(names, row, strict=True) if p > 0.5] for row in chances.tolist()]
    columns = [
        pl.Series(f"p({name})" if str(name) in FIXED else str(name), chances[:, k])
        for k, name in enumerate(names)
    ]
    sure = pl.Series("confidence", np.maximum(chances, 1 - chances).mean(axis=1))
    return pl.DataFrame([ids.to_series("task"), pl.Series("label", lists, strict=False), sure, *columns])
