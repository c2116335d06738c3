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
    from .prediction_frame import prediction_frame
    from .targets import in_cells

    for option, given in (("--text", text), ("--scheme", scheme)):
        if given is not None:
            raise typer.BadParameter(f"goes with a tagger, and {model} is none", param_hint=f"'{option}'")
    if out is not None:
        format_to_write(out)
    with work.spinner(f"reading {features}"):
        ids, X = read_for(opened, features, model)
    with work.spinner("predicting"):
        frame = prediction_frame(opened, ids, X, cost)
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
