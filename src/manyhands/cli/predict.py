"""`manyhands predict`: what a trained network says of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..errors import FileError, UnsupportedError
from .feature_reading import Features, kept_with, read_for
from .options import Cost, Json, Quiet, Scheme
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
            "and an interval; the suffix says the format. Of a tagger: .conll tokens and tags, .jsonl these and the "
            "spans, .csv, .tsv or .parquet the spans.",
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            metavar="COLUMN",
            show_default=False,
            help="Of a tagger: the column of words, if not as in training.",
        ),
    ] = None,
    cost: Cost = None,
    scheme: Scheme = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Label tasks by their features, or tag sentences, with a trained model."""
    from .output import print_json

    _check(out, [model, features])
    work = Work(quiet or json)
    with work.spinner(f"opening {model}"):
        opened = _open(model)
    if opened.labels_.kind == "tags":
        said = _tagged(opened, features, model, text, cost, scheme, out, work)
    else:
        said = _labelled(opened, features, model, text, cost, scheme, out, work)
    if json:
        rows = {} if out is not None else {"predictions": list(said.records)}
        print_json({"tasks": said.n, "written": None if out is None else str(out), **rows})
    elif not quiet:
        _show(said, model, out)


class _Said(NamedTuple):
    """n: of tasks. frame: what is shown; records: what is printed as JSON."""

    n: int
    frame: pl.DataFrame
    records: Iterable[dict[str, Any]]


def _labelled(
    opened: Any, features: Path, model: Path, text: str | None, cost: str | None, scheme: str | None,
    out: Path | None, work: Work,
) -> _Said:  # fmt: skip
    from ..io import write_frame
    from ..io.frames import format_to_write
    from .targets import in_cells

    for option, given in (("--text", text), ("--scheme", scheme)):
        if given is not None:
            raise typer.BadParameter(f"goes with a tagger, and {model} is none", param_hint=f"'{option}'")
    if out is not None:
        format_to_write(out)
    with work.spinner(f"reading {features}"):
        ids, X = read_for(opened, features, model)
    with work.spinner("predicting"):
        frame = _frame(opened, ids, X, cost)
    if out is not None:
        write_frame(in_cells(frame, opened.result_.labels.kind, out), out)
    return _Said(len(frame), frame, frame.iter_rows(named=True))


def _tagged(
    opened: Any, features: Path, model: Path, text: str | None, cost: str | None, scheme: str | None,
    out: Path | None, work: Work,
) -> _Said:  # fmt: skip
    from ..io import read_sentences
    from ..results.decision import cost_matrix
    from .tag_predictions import predicted

    if cost is not None:
        cost_matrix(cost, opened.labels_)  # refuses
    with work.spinner(f"reading {features}"):
        sentences = read_sentences(features, text, prefer=kept_with(opened, model).get("sentences"))
    with work.spinner("predicting"):
        said = predicted(opened, sentences, scheme)
    if out is not None:
        said.write(out)
    return _Said(len(said.tags), said.frame(), said.records())


def _show(said: _Said, model: Path, out: Path | None) -> None:
    from .output import head, line
    from .summaries import without_lists

    line(f"{said.n} tasks labelled by {model}")
    head(without_lists(said.frame), rows=5)
    line("write them with --out predictions.csv" if out is None else f"wrote predictions: {out}")


def _check(out: Path | None, inputs: list[Path]) -> None:
    from ..io.frames import format_to_write
    from ..io.tools.registry import named_for
    from .targets import refuse_overwriting

    if out is None:
        return
    if named_for(out) is None:
        format_to_write(out)
    if not out.parent.is_dir():
        raise FileError(f"there is no folder {str(out.parent)!r} to write into; make it first", out)
    refuse_overwriting(inputs, [out])


def _open(path: Path) -> Any:
    from ..models import load

    opened = load(path)
    if not hasattr(opened, "predict"):
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
